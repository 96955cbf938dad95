// All pages: a page is one file and one line here. `isLinked` puts it into the navigation. The server answers
// these addresses with the shell (`crates/server/src/pages.rs` has the same list; a test compares them).

import { Check } from './check.js';
import { Cluster } from './cluster.js';
import { Compare } from './compare.js';
import { Experiments } from './experiments.js';
import { Job } from './job.js';
import { Judge, Pools } from './judge.js';
import { Live } from './live.js';
import { NewSearch } from './new.js';
import { Notices } from './notices.js';
import { Results } from './results.js';
import { Search } from './search.js';
import { Pair } from './side.js';
import { Start } from './start.js';

export const PAGES = [
  { name: 'start', path: '/', component: Start },
  { name: 'new', path: '/new', component: NewSearch, isLinked: true },
  { name: 'check', path: '/check', component: Check, isLinked: true, isWide: true },
  { name: 'search', path: '/search', component: Search, isLinked: true },
  { name: 'live', path: '/live', component: Live, isLinked: true },
  { name: 'compare', path: '/compare', component: Compare, isLinked: true, isWide: true },
  { name: 'judge', path: '/judge', component: Pools, isLinked: true },
  { name: 'notices', path: '/notices', component: Notices, isLinked: true, isWide: true },
  { name: 'experiments', path: '/experiments', component: Experiments, isLinked: true },
  { name: 'judging', path: '/judge/:pool', component: Judge, isWide: true },
  { name: 'job', path: '/jobs/:job', component: Job },
  { name: 'result', path: '/results/:result', component: Results, isWide: true },
  { name: 'cluster', path: '/results/:result/clusters/:cluster', component: Cluster },
  { name: 'pair', path: '/results/:result/pairs/:pair', component: Pair, isWide: true },
];
