//! Where boxes and lines go: layers from top to bottom, few crossings, short lines.
//!
//! A line that passes a layer takes a place of its own there, between the boxes, so no line runs
//! through a box. The order in each layer follows the mean place of the neighbours, back and forth,
//! and the order of fewest crossings is kept. Then boxes are moved towards their neighbours as far
//! as the order and the room between them allow. Last, corners that no box makes necessary are
//! taken out of the lines.

/// Room between two boxes, and between a box and a passing line.
const BOX_GAP: f64 = 18.0;
const LINE_GAP: f64 = 10.0;

/// Least and largest distance between layers. Lines that go far to the side get more, or they would
/// be almost horizontal.
const LAYER_GAP: (f64, f64) = (44.0, 150.0);

/// How far a line may go to the side for one unit of height, before layers are moved apart.
const SLOPE: f64 = 5.0;

/// Room between a box and a line that was made straight.
const CLEAR: f64 = 5.0;

/// How often the order of each layer, and then the places in it, are improved.
const ORDER_ROUNDS: usize = 24;
const PLACE_ROUNDS: usize = 32;

/// How much room a box takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A drawing whose left upper corner is 0, 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Centre of each box.
    pub(super) centres: Vec<(f64, f64)>,
    /// Corners of each line, from its upper box to its lower one.
    pub(super) lines: Vec<Vec<(f64, f64)>>,
}

/// Lays out boxes of these layers and sizes, with lines between those of different layers, the
/// upper one first.
pub(super) fn layout(layers: &[usize], sizes: &[Size], lines: &[(usize, usize)]) -> Layout {
    let mut graph = Graph::new(layers, sizes, lines);
    graph.order();
    let xs = graph.places();
    let (tops, bottoms) = graph.bands(sizes, &xs);

    let middle = |layer: usize| f64::midpoint(tops[layer], bottoms[layer]);
    let centres: Vec<(f64, f64)> =
        (0..sizes.len()).map(|i| (xs[i], middle(graph.layer[i]))).collect();
    let corners = |chain: &Vec<usize>| {
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for (at, &vertex) in chain.iter().enumerate() {
            let (x, layer) = (xs[vertex], graph.layer[vertex]);
            // Inside its layer a line goes straight, past boxes that are higher than its own.
            let half = sizes.get(vertex).map(|size| size.height / 2.0);
            match half {
                Some(half) if at == 0 => {
                    corners.extend([(x, middle(layer) + half), (x, bottoms[layer])]);
                }
                Some(half) => corners.extend([(x, tops[layer]), (x, middle(layer) - half)]),
                None => corners.extend([(x, tops[layer]), (x, bottoms[layer])]),
            }
        }
        corners.dedup();
        corners
    };
    let straight = |chain: &Vec<usize>| {
        let ends = [chain[0], chain[chain.len() - 1]];
        let layers = graph.layer[ends[0]]..=graph.layer[ends[1]];
        let boxes = layers.flat_map(|layer| &graph.rows[layer]).copied();
        let boxes: Vec<((f64, f64), Size)> = boxes
            .filter(|vertex| *vertex < sizes.len() && !ends.contains(vertex))
            .map(|vertex| (centres[vertex], sizes[vertex]))
            .collect();
        let is_free = |from, to| !boxes.iter().any(|&(at, size)| meets(from, to, at, size));
        straightened(&corners(chain), is_free)
    };
    Layout {
        width: (0..xs.len()).map(|i| xs[i] + graph.widths[i] / 2.0).fold(0.0, f64::max),
        height: bottoms.last().copied().unwrap_or(0.0),
        lines: graph.chains.iter().map(straight).collect(),
        centres,
    }
}

/// Boxes and the places of passing lines, in layers.
struct Graph {
    /// Layer of each vertex; boxes come first.
    layer: Vec<usize>,
    widths: Vec<f64>,
    n_boxes: usize,
    /// Vertices of each layer, from left to right.
    rows: Vec<Vec<usize>>,
    /// Neighbours in the layer above and in the layer below.
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// Vertices of each line.
    chains: Vec<Vec<usize>>,
}

impl Graph {
    fn new(layers: &[usize], sizes: &[Size], lines: &[(usize, usize)]) -> Self {
        let mut used = layers.to_vec();
        used.sort_unstable();
        used.dedup();
        let layer_of = |layer| used.binary_search(layer).expect("every layer was collected");
        let mut graph = Self {
            layer: layers.iter().map(layer_of).collect(),
            widths: sizes.iter().map(|size| size.width).collect(),
            n_boxes: sizes.len(),
            rows: vec![Vec::new(); used.len()],
            above: Vec::new(),
            below: Vec::new(),
            chains: Vec::new(),
        };
        for &(upper, lower) in lines {
            let mut chain = vec![upper];
            for layer in graph.layer[upper] + 1..graph.layer[lower] {
                chain.push(graph.layer.len());
                graph.layer.push(layer);
                graph.widths.push(0.0);
            }
            chain.push(lower);
            graph.chains.push(chain);
        }
        for (vertex, &layer) in graph.layer.iter().enumerate() {
            graph.rows[layer].push(vertex);
        }
        graph.above = vec![Vec::new(); graph.layer.len()];
        graph.below = vec![Vec::new(); graph.layer.len()];
        for chain in &graph.chains {
            for pair in chain.windows(2) {
                graph.below[pair[0]].push(pair[1]);
                graph.above[pair[1]].push(pair[0]);
            }
        }
        graph
    }

    /// Puts the vertices of each layer in order.
    fn order(&mut self) {
        let mut best = self.rows.clone();
        let mut fewest = self.n_crossings();
        for round in 0..ORDER_ROUNDS {
            if fewest == 0 {
                break;
            }
            let is_down = round % 2 == 0;
            let n = self.rows.len();
            for step in 1..n {
                let layer = if is_down { step } else { n - 1 - step };
                let (other, sides) = if is_down {
                    (&self.rows[layer - 1], &self.above)
                } else {
                    (&self.rows[layer + 1], &self.below)
                };
                let place = inverse(other, self.layer.len());
                let mut keyed: Vec<(f64, usize)> = self.rows[layer]
                    .iter()
                    .enumerate()
                    .map(|(at, &vertex)| match &sides[vertex][..] {
                        [] => (at as f64, vertex),
                        near => (mean(near.iter().map(|&other| place[other] as f64)), vertex),
                    })
                    .collect();
                // Stable, so that equals keep their order.
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.rows[layer] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
            }
            self.swap_neighbours();
            let n_crossings = self.n_crossings();
            if n_crossings < fewest {
                fewest = n_crossings;
                best.clone_from(&self.rows);
            }
        }
        self.rows = best;
    }

    /// Swaps vertices that stand side by side where this saves crossings.
    fn swap_neighbours(&mut self) {
        for layer in 0..self.rows.len() {
            let mut around = vec![usize::MAX; self.layer.len()];
            for other in [layer.checked_sub(1), Some(layer + 1)].into_iter().flatten() {
                for (at, &vertex) in self.rows.get(other).into_iter().flatten().enumerate() {
                    around[vertex] = at;
                }
            }
            let n_crossed = |left: usize, right: usize| -> usize {
                let sides = [
                    (&self.above[left], &self.above[right]),
                    (&self.below[left], &self.below[right]),
                ];
                let crossed = |(a, b): (&Vec<usize>, &Vec<usize>)| -> usize {
                    a.iter().map(|&a| b.iter().filter(|&&b| around[b] < around[a]).count()).sum()
                };
                sides.into_iter().map(crossed).sum()
            };
            let mut row = self.rows[layer].clone();
            for at in 1..row.len() {
                if n_crossed(row[at], row[at - 1]) < n_crossed(row[at - 1], row[at]) {
                    row.swap(at - 1, at);
                }
            }
            self.rows[layer] = row;
        }
    }

    /// Returns how many pairs of lines cross.
    fn n_crossings(&self) -> usize {
        let mut sum = 0;
        for rows in self.rows.windows(2) {
            let place = inverse(&rows[1], self.layer.len());
            // Lines from left to right; a line crosses those before it that end further right.
            let mut ended = vec![0usize; rows[1].len() + 1];
            let mut n_ended = 0;
            for &upper in &rows[0] {
                let mut ends: Vec<usize> = self.below[upper].iter().map(|&v| place[v]).collect();
                ends.sort_unstable();
                for &end in &ends {
                    sum += n_ended - counted(&ended, end + 1);
                }
                for end in ends {
                    count(&mut ended, end);
                    n_ended += 1;
                }
            }
        }
        sum
    }

    /// Returns the place of each vertex from left to right; the leftmost edge is 0.
    fn places(&self) -> Vec<f64> {
        let mut xs = vec![0.0; self.layer.len()];
        for row in &self.rows {
            let offsets = self.offsets(row);
            let half = offsets.last().copied().unwrap_or(0.0) / 2.0;
            for (&vertex, offset) in row.iter().zip(offsets) {
                xs[vertex] = offset - half;
            }
        }
        let n = self.rows.len();
        for round in 0..PLACE_ROUNDS {
            for step in 0..n {
                let layer = if round % 2 == 0 { step } else { n - 1 - step };
                self.settle(&self.rows[layer], round, &mut xs);
            }
        }
        let left = |vertex: usize| xs[vertex] - self.widths[vertex] / 2.0;
        let leftmost = (0..xs.len()).map(left).fold(f64::INFINITY, f64::min);
        // Whole numbers keep the picture the same wherever it is made.
        xs.iter().map(|x| (x - leftmost).round()).collect()
    }

    /// Moves the vertices of a layer as near to their neighbours as order and room allow.
    fn settle(&self, row: &[usize], round: usize, xs: &mut [f64]) {
        let offsets = self.offsets(row);
        // Blocks of vertices that touch: their weight, the weighted sum of the places they are
        // pulled to, and their number.
        let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
        for (&vertex, offset) in row.iter().zip(&offsets) {
            let (mut weight, mut sum) = (0.0, 0.0);
            let sides: &[&Vec<usize>] = match round {
                // In the last rounds, neighbours above and below count alike.
                round if round + 8 >= PLACE_ROUNDS => &[&self.above[vertex], &self.below[vertex]],
                round if round % 2 == 0 => &[&self.above[vertex]],
                _ => &[&self.below[vertex]],
            };
            for &other in sides.iter().copied().flatten() {
                // Pieces of long lines are pulled hardest, so that long lines become straight.
                let n_passing = [vertex, other].iter().filter(|&&v| v >= self.n_boxes).count();
                let pull = [1.0, 2.0, 8.0][n_passing];
                weight += pull;
                sum += pull * xs[other];
            }
            if weight == 0.0 {
                (weight, sum) = (0.1, 0.1 * xs[vertex]);
            }
            blocks.push((weight, sum - weight * offset, 1));
            while let [.., a, b] = blocks[..]
                && a.1 / a.0 > b.1 / b.0
            {
                blocks.truncate(blocks.len() - 2);
                blocks.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
            }
        }
        let starts =
            blocks.iter().flat_map(|&(weight, sum, n)| std::iter::repeat_n(sum / weight, n));
        for ((&vertex, offset), start) in row.iter().zip(&offsets).zip(starts) {
            xs[vertex] = start + offset;
        }
    }

    /// Returns how far the vertices of a layer are from the first if they stand as near as they
    /// may.
    fn offsets(&self, row: &[usize]) -> Vec<f64> {
        let mut offsets = Vec::with_capacity(row.len());
        let mut at = 0.0;
        for (i, &vertex) in row.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).map(|before| row[before]) {
                let is_box = |vertex| vertex < self.n_boxes;
                let gap = if is_box(before) && is_box(vertex) { BOX_GAP } else { LINE_GAP };
                at += f64::midpoint(self.widths[before], self.widths[vertex]) + gap;
            }
            offsets.push(at);
        }
        offsets
    }

    /// Returns where each layer begins and ends.
    fn bands(&self, sizes: &[Size], xs: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut tops, mut bottoms) = (Vec::new(), Vec::new());
        let mut y = 0.0;
        for row in &self.rows {
            let heights = row.iter().filter_map(|&vertex| sizes.get(vertex)).map(|s| s.height);
            tops.push(y);
            y += heights.fold(0.0, f64::max);
            bottoms.push(y);
            let ends = row.iter().flat_map(|&v| self.below[v].iter().map(move |&other| (v, other)));
            let widest = ends.map(|(v, other)| (xs[v] - xs[other]).abs()).fold(0.0, f64::max);
            y += (widest / SLOPE).round().clamp(LAYER_GAP.0, LAYER_GAP.1);
        }
        (tops, bottoms)
    }
}

/// Leaves out corners of a line where it can go straight without meeting a box. The line as it is
/// given meets none.
fn straightened(
    corners: &[(f64, f64)],
    is_free: impl Fn((f64, f64), (f64, f64)) -> bool,
) -> Vec<(f64, f64)> {
    let mut kept = vec![corners[0]];
    let mut at = 0;
    while at + 1 < corners.len() {
        let farther = (at + 2..corners.len()).rev();
        let next = farther.into_iter().find(|&next| is_free(corners[at], corners[next]));
        at = next.unwrap_or(at + 1);
        kept.push(corners[at]);
    }
    kept
}

/// Returns whether a line comes too near to a box.
fn meets(from: (f64, f64), to: (f64, f64), centre: (f64, f64), size: Size) -> bool {
    // The part of the line inside the box, as shares of its length, first by x, then by y.
    let (mut enters, mut leaves) = (0.0f64, 1.0f64);
    let half = (size.width / 2.0 + CLEAR, size.height / 2.0 + CLEAR);
    for (from, to, centre, half) in
        [(from.0, to.0, centre.0, half.0), (from.1, to.1, centre.1, half.1)]
    {
        let (low, high) = (centre - half, centre + half);
        if (to - from).abs() < 1e-9 {
            if from <= low || from >= high {
                return false;
            }
            continue;
        }
        let (a, b) = ((low - from) / (to - from), (high - from) / (to - from));
        enters = enters.max(a.min(b));
        leaves = leaves.min(a.max(b));
    }
    enters < leaves
}

/// Returns the place of each vertex in a row.
fn inverse(row: &[usize], n: usize) -> Vec<usize> {
    let mut place = vec![usize::MAX; n];
    for (at, &vertex) in row.iter().enumerate() {
        place[vertex] = at;
    }
    place
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

/// Counts one at a place of a Fenwick tree.
fn count(tree: &mut [usize], place: usize) {
    let mut at = place + 1;
    while at < tree.len() {
        tree[at] += 1;
        at += at & at.wrapping_neg();
    }
}

/// Returns how many were counted at places below `end`.
fn counted(tree: &[usize], end: usize) -> usize {
    let (mut at, mut sum) = (end, 0);
    while at > 0 {
        sum += tree[at];
        at -= at & at.wrapping_neg();
    }
    sum
}
