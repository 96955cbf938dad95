//! Keys: who may do what, with which collections, until when.
//!
//! A key is `rtk_ID_SECRET`. The server keeps the id and a hash of the secret, never the secret; it is
//! told once, when the key is made.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::{Code, Problem};
use crate::store::{KEYS, Store};
use crate::time::now;

/// What a key allows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// Asking, listing, reading documents and results.
    Read,
    /// Adding and removing documents, jobs, decisions, watches.
    Write,
    /// Judging pairs.
    Judge,
    /// Collections, keys, snapshots, webhooks; everything.
    Admin,
}

impl Scope {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Judge => "judge",
            Self::Admin => "admin",
        }
    }
}

/// A key as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) name: String,
    hash: String,
    pub(crate) scopes: BTreeSet<Scope>,
    /// Collections it is for; none means all.
    pub(crate) collections: Option<BTreeSet<String>>,
    /// When it ends, in seconds since 1970.
    pub(crate) expires: Option<i64>,
    pub(crate) created: i64,
    /// Requests a second, if not as many as all keys may make.
    pub(crate) requests_per_second: Option<u64>,
}

/// Who makes a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// By what work is shared and limits are counted: the key, or the address.
    pub(crate) client: Arc<str>,
    /// Name of the key, for logs and judgements.
    pub(crate) name: Arc<str>,
    scopes: Option<BTreeSet<Scope>>,
    collections: Option<Arc<BTreeSet<String>>>,
    pub(crate) requests_per_second: Option<u64>,
}

impl Caller {
    /// Whoever is on this machine, or the key that the server was started with.
    pub(crate) fn administrator(client: String, name: &str) -> Self {
        Self {
            client: client.into(),
            name: name.into(),
            scopes: None,
            collections: None,
            requests_per_second: None,
        }
    }

    /// Somebody without a key, who may see the pages but no data.
    pub(crate) fn stranger(peer: &str) -> Self {
        Self {
            scopes: Some(BTreeSet::new()),
            collections: Some(Arc::default()),
            ..Self::administrator(format!("address {peer}"), "nobody")
        }
    }

    pub(crate) fn has(&self, scope: Scope) -> bool {
        match &self.scopes {
            None => true,
            Some(scopes) => scopes.contains(&scope) || scopes.contains(&Scope::Admin),
        }
    }

    /// Returns whether the key is for a collection. Those of others and those that are not there are
    /// refused in the same way, before anything is looked up.
    pub(crate) fn may_see(&self, collection: &str) -> bool {
        self.collections.as_ref().is_none_or(|allowed| allowed.contains(collection))
    }

    /// Returns whether the key is for all collections.
    pub(crate) fn sees_all(&self) -> bool {
        self.collections.is_none()
    }
}

/// All keys.
pub(crate) struct Keys {
    token: Option<blake3::Hash>,
    is_needed: bool,
    by_id: RwLock<HashMap<String, Key>>,
    pace: Pace,
}

impl Keys {
    /// Loads the keys; `is_needed` says that nobody comes in without one.
    pub(crate) fn open(
        store: &Store,
        token: Option<&str>,
        is_needed: bool,
        requests_per_second: u64,
    ) -> Result<Self, Problem> {
        let keys = store.list::<Key>(KEYS, "", None, usize::MAX)?;
        Ok(Self {
            token: token.map(|token| blake3::hash(token.as_bytes())),
            is_needed: is_needed || token.is_some(),
            by_id: RwLock::new(keys.into_iter().collect()),
            pace: Pace { usual: requests_per_second, buckets: Mutex::default() },
        })
    }

    /// Finds out who makes a request: by its key, or by its address if none is needed.
    pub(crate) fn caller(
        &self,
        authorization: Option<&str>,
        peer: &str,
    ) -> Result<Caller, Problem> {
        let Some(authorization) = authorization else {
            if self.is_needed {
                return Err(Problem::new(Code::Unauthorized, "the request has no key"));
            }
            return Ok(Caller::administrator(format!("address {peer}"), "local"));
        };
        let unknown = || Problem::new(Code::Unauthorized, "the key is not known, or has expired");
        let token = authorization
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim())
            .ok_or_else(|| {
                Problem::new(Code::Unauthorized, "the Authorization header is not `Bearer KEY`")
            })?;
        // Hashes of this kind are compared in constant time.
        let hash = blake3::hash(token.as_bytes());
        if self.token.is_some_and(|token| token == hash) {
            return Ok(Caller::administrator("the first key".to_owned(), "administrator"));
        }
        let id = token.strip_prefix("rtk_").and_then(|rest| rest.split_once('_')).map(|(id, _)| id);
        let keys = self.by_id.read().unwrap_or_else(PoisonError::into_inner);
        let key = id.and_then(|id| keys.get(id)).ok_or_else(unknown)?;
        let is_right = blake3::Hash::from_hex(&key.hash).is_ok_and(|known| known == hash);
        if !is_right || key.expires.is_some_and(|expires| expires <= now()) {
            return Err(unknown());
        }
        Ok(Caller {
            client: format!("key {}", key.id).into(),
            name: key.name.as_str().into(),
            scopes: Some(key.scopes.clone()),
            collections: key.collections.clone().map(Arc::new),
            requests_per_second: key.requests_per_second,
        })
    }

    /// Counts a request; one too many is refused.
    pub(crate) fn count(&self, caller: &Caller) -> Result<(), Problem> {
        let by_address = caller.client.starts_with("address ");
        if by_address && caller.requests_per_second.is_none() {
            return Ok(());
        }
        self.pace.take(&caller.client, caller.requests_per_second)
    }

    /// Counts a request that could not be let in; after too many the address is refused.
    pub(crate) fn count_stranger(&self, peer: &str) -> Result<(), Problem> {
        self.pace.take(&format!("stranger {peer}"), Some(20))
    }

    pub(crate) fn list(&self) -> Vec<Key> {
        let keys = self.by_id.read().unwrap_or_else(PoisonError::into_inner);
        let mut keys: Vec<Key> = keys.values().cloned().collect();
        keys.sort_by(|x, y| (x.created, &x.id).cmp(&(y.created, &y.id)));
        keys
    }

    /// Makes a key; returns it with what has to be sent.
    pub(crate) fn add(&self, store: &Store, mut key: Key) -> Result<(Key, String), Problem> {
        let (id, secret) = (random_name()?, random_secret()?);
        let token = format!("rtk_{id}_{secret}");
        key.id = id;
        key.hash = blake3::hash(token.as_bytes()).to_hex().to_string();
        store.put(KEYS, &key.id, &key)?;
        let mut keys = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.id.clone(), key.clone());
        Ok((key, token))
    }

    /// Removes a key; returns whether it was there.
    pub(crate) fn remove(&self, store: &Store, id: &str) -> Result<bool, Problem> {
        let was_there = store.remove(KEYS, id)?;
        self.by_id.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        Ok(was_there)
    }
}

impl Key {
    /// Describes a key that is to be made.
    pub(crate) fn wanted(
        name: String,
        scopes: BTreeSet<Scope>,
        collections: Option<BTreeSet<String>>,
        expires: Option<i64>,
        requests_per_second: Option<u64>,
    ) -> Self {
        let (id, hash) = (String::new(), String::new());
        Self { id, name, hash, scopes, collections, expires, created: now(), requests_per_second }
    }
}

/// How many requests each client has made lately: a bucket that fills at its pace and holds two
/// seconds' worth.
struct Pace {
    usual: u64,
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
}

impl Pace {
    fn take(&self, client: &str, pace: Option<u64>) -> Result<(), Problem> {
        let pace = pace.unwrap_or(self.usual).max(1);
        let most = 2.0 * pace as f64;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > 10_000 {
            buckets.retain(|_, (_, at)| at.elapsed().as_secs() < 2);
        }
        let (left, at) = buckets.entry(client.to_owned()).or_insert((most, Instant::now()));
        *left = (*left + at.elapsed().as_secs_f64() * pace as f64).min(most);
        *at = Instant::now();
        if *left < 1.0 {
            let detail = format!("at most {pace} requests a second are served");
            let problem = Problem::new(Code::TooMany, detail);
            return Err(problem.limit("requests_per_second", pace).retry_after(1));
        }
        *left -= 1.0;
        Ok(())
    }
}

fn random_bytes<const N: usize>() -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(Problem::internal)?;
    Ok(bytes)
}

/// Returns a secret of 256 random bits.
pub(crate) fn random_secret() -> Result<String, Problem> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<32>()?))
}

/// Returns a name of 48 random bits.
pub(crate) fn random_name() -> Result<String, Problem> {
    Ok(hexadecimal(&random_bytes::<6>()?))
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Returns a random seed for the features of a collection.
pub(crate) fn random_seed() -> Result<u64, Problem> {
    Ok(u64::from_le_bytes(random_bytes::<8>()?) >> 1)
}
