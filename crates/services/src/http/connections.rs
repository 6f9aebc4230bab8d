//! Which connections are open, what each of them does, and which one is closed when the server is full. The server
//! never closes one whose request it is working on. First it closes a connection that never got an answer; of these,
//! the one that has been silent for longest.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
};
use tokio::sync::Notify;

use super::Buckets;
use crate::config::Limits;

/// Bytes that a slow reader takes at least in `write_seconds`.
const LEAST_TAKEN: u64 = 1 << 12;
/// Milliseconds beyond `request_seconds` in which a refused body is thrown away and the answer sent.
const GRACE: u64 = 10_000;

/// A client as far as its address tells: of IPv6 its network, of which one client has all addresses.
pub fn network(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().split_at(8).0.to_vec(),
    }
}

/// Why the server refused or ended a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Reason {
    reason: &'static str,
}

/// What is counted of connections.
#[derive(Clone, Default)]
pub struct Counts {
    /// Open now.
    pub open: Gauge,
    ended: Family<Reason, Counter>,
}

impl Counts {
    /// The counter of connections that the server refused or ended.
    pub(super) fn ended(&self) -> Family<Reason, Counter> {
        self.ended.clone()
    }

    /// The server refused or ended a connection.
    pub(super) fn end(&self, reason: &'static str) {
        self.ended.get_or_create(&Reason { reason }).inc();
    }
}

/// What a connection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Shakes hands.
    Handshake,
    /// Sends the head of a request.
    Head,
    /// Sends the body of a request.
    Body,
    /// Waits for an answer.
    Working,
    /// Takes an answer.
    Answer,
    /// Has an answer, and asks nothing.
    Idle,
}

impl Phase {
    fn from_byte(byte: u8) -> Self {
        let all = [Self::Handshake, Self::Head, Self::Body, Self::Working, Self::Answer];
        // Only phases are stored; an unknown one would make the connection the first to go.
        all.into_iter().find(|phase| *phase as u8 == byte).unwrap_or(Self::Idle)
    }
}

/// What is to become of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes on.
    Keep,
    /// It ends with the request under way.
    Finish,
    /// It ends now, for this reason.
    End(&'static str),
}

/// How a connection behaves; times are milliseconds since the server began.
pub(super) struct Conduct {
    start: Instant,
    network: Vec<u8>,
    opened: u64,
    phase: AtomicU8,
    /// When the phase began.
    since: AtomicU64,
    /// When bytes last went either way.
    moved: AtomicU64,
    answered: AtomicBool,
    /// Since when answers wait for the client to take them, plus one; zero if none does.
    blocked: AtomicU64,
    /// Bytes that the client took since then.
    taken: AtomicU64,
    /// Told when the connection makes way.
    pub(super) evicted: Notify,
}

impl Conduct {
    fn new(start: Instant, network: Vec<u8>) -> Self {
        let now = start.elapsed().as_millis() as u64;
        Self {
            start,
            network,
            opened: now,
            phase: AtomicU8::new(Phase::Handshake as u8),
            since: AtomicU64::new(now),
            moved: AtomicU64::new(now),
            answered: AtomicBool::new(false),
            blocked: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            evicted: Notify::new(),
        }
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::from_byte(self.phase.load(Relaxed))
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.now(), Relaxed);
        if phase == Phase::Answer {
            self.answered.store(true, Relaxed);
        }
    }

    /// Bytes came.
    pub(super) fn received(&self) {
        self.moved.store(self.now(), Relaxed);
        if self.phase() == Phase::Idle {
            self.enter(Phase::Head);
        }
    }

    /// The client took bytes.
    pub(super) fn took(&self, bytes: usize) {
        self.moved.store(self.now(), Relaxed);
        self.taken.fetch_add(bytes as u64, Relaxed);
    }

    /// The client takes no more for now.
    pub(super) fn block(&self) {
        if self.blocked.load(Relaxed) == 0 {
            self.taken.store(0, Relaxed);
            self.blocked.store(self.now() + 1, Relaxed);
        }
    }

    /// The client has taken all there was.
    pub(super) fn flushed(&self) {
        self.blocked.store(0, Relaxed);
    }

    /// Holds the connection to the limits.
    pub(super) fn judge(&self, limits: &Limits) -> Verdict {
        let now = self.now();
        let passed =
            |since: u64, seconds: u64| now.saturating_sub(since) > seconds.saturating_mul(1000);
        let blocked = self.blocked.load(Relaxed);
        if blocked > 0 && passed(blocked - 1, limits.write_seconds) {
            if self.taken.swap(0, Relaxed) < LEAST_TAKEN {
                return Verdict::End("write");
            }
            self.blocked.store(now + 1, Relaxed);
        }
        let since = self.since.load(Relaxed);
        let late = match self.phase() {
            Phase::Handshake => passed(since, limits.header_seconds).then_some("handshake"),
            Phase::Head => passed(since, limits.header_seconds).then_some("head"),
            Phase::Body => {
                // The answer that says so comes from where bodies are read.
                passed(since.saturating_add(GRACE), limits.request_seconds).then_some("body")
            }
            Phase::Idle => {
                passed(since.max(self.moved.load(Relaxed)), limits.idle_seconds).then_some("idle")
            }
            Phase::Working | Phase::Answer => None,
        };
        match late {
            Some(reason) => Verdict::End(reason),
            None if passed(self.opened, limits.connection_seconds.saturating_mul(2)) => {
                Verdict::End("life")
            }
            None if passed(self.opened, limits.connection_seconds) => Verdict::Finish,
            None => Verdict::Keep,
        }
    }
}

/// All connections of a server.
pub(super) struct Connections {
    start: Instant,
    /// Whether addresses are those of clients, and not of a proxy.
    by_address: bool,
    limits: RwLock<Arc<Limits>>,
    rates: Buckets,
    counts: Counts,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    conducts: HashMap<u64, Arc<Conduct>>,
    networks: HashMap<Vec<u8>, usize>,
}

impl Connections {
    pub(super) fn new(limits: &Limits, by_address: bool, counts: Counts) -> Self {
        Self {
            start: Instant::now(),
            by_address,
            limits: RwLock::new(Arc::new(limits.clone())),
            rates: Buckets::new(limits.connections_per_second, burst(limits)),
            counts,
            open: Mutex::default(),
        }
    }

    /// Other limits, from now on.
    pub(super) fn limit(&self, limits: &Limits) {
        // Limits are replaced as a whole.
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(limits.clone());
        self.rates.change(limits.connections_per_second, burst(limits));
    }

    pub(super) fn limits(&self) -> Arc<Limits> {
        // Limits are replaced as a whole.
        Arc::clone(&self.limits.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing under the lock can panic half-way.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection, for which another may make way; none if it is one too many.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Admitted> {
        let limits = self.limits();
        let network = network(address);
        if self.by_address && self.rates.take(&network, Instant::now()).is_err() {
            self.counts.end("rate");
            return None;
        }
        let mut open = self.lock();
        // A network of which nothing is open has no connection.
        let of_network = open.networks.get(&network).copied().unwrap_or_default();
        if self.by_address && of_network >= limits.connections_per_address {
            // Who has that many makes room for itself.
            if !open.evict(|conduct| conduct.network == network) {
                self.counts.end("address");
                return None;
            }
            self.counts.end("address");
        } else if open.conducts.len() >= limits.connections {
            if !open.evict(|_| true) {
                self.counts.end("full");
                return None;
            }
            self.counts.end("evicted");
        }
        let conduct = Arc::new(Conduct::new(self.start, network.clone()));
        let id = open.next;
        open.next += 1;
        open.conducts.insert(id, Arc::clone(&conduct));
        *open.networks.entry(network).or_default() += 1;
        self.counts.open.set(open.conducts.len() as i64);
        Some(Admitted { connections: Arc::clone(self), id, conduct })
    }

    /// Lets one go, so that the system has room again.
    pub(super) fn relieve(&self) {
        if self.lock().evict(|_| true) {
            self.counts.end("evicted");
        }
    }
}

fn burst(limits: &Limits) -> u32 {
    // More are as good as no limit.
    u32::try_from(limits.connections_per_address).unwrap_or(u32::MAX)
}

impl Open {
    /// Ends the connection that is missed least, if there is one that is not worked for.
    fn evict(&mut self, candidate: impl Fn(&Conduct) -> bool) -> bool {
        let idle = self.conducts.iter().filter(|(_, conduct)| {
            candidate(conduct) && !matches!(conduct.phase(), Phase::Working)
        });
        let least = idle.min_by_key(|(_, conduct)| {
            (conduct.answered.load(Relaxed), conduct.moved.load(Relaxed))
        });
        let Some(id) = least.map(|(id, _)| *id) else { return false };
        if let Some(conduct) = self.remove(id) {
            conduct.evicted.notify_one();
        }
        true
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Conduct>> {
        let conduct = self.conducts.remove(&id)?;
        if let Some(count) = self.networks.get_mut(&conduct.network) {
            *count -= 1;
            if *count == 0 {
                self.networks.remove(&conduct.network);
            }
        }
        Some(conduct)
    }
}

/// A connection's place, which it leaves when this is dropped.
pub(super) struct Admitted {
    pub(super) connections: Arc<Connections>,
    id: u64,
    pub(super) conduct: Arc<Conduct>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.remove(self.id);
        self.connections.counts.open.set(open.conducts.len() as i64);
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use super::*;

    fn connections(connections: usize, per_address: usize) -> Arc<Connections> {
        let limits = Limits {
            connections,
            connections_per_address: per_address,
            connections_per_second: 1000,
            ..Limits::default()
        };
        Arc::new(Connections::new(&limits, true, Counts::default()))
    }

    fn from(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    fn is_open(admitted: &Admitted) -> bool {
        admitted.connections.lock().conducts.contains_key(&admitted.id)
    }

    #[test]
    fn who_was_never_answered_makes_way_first() {
        let all = connections(3, 3);
        let admit = |last| {
            std::thread::sleep(Duration::from_millis(3));
            all.admit(from(last))
        };
        let [answered, silent, working] = [1, 2, 3].map(|last| admit(last).unwrap());
        answered.conduct.enter(Phase::Answer);
        answered.conduct.enter(Phase::Idle);
        working.conduct.enter(Phase::Working);
        let fourth = admit(4).unwrap();
        assert!(!is_open(&silent) && is_open(&answered) && is_open(&working));
        fourth.conduct.enter(Phase::Working);
        let fifth = admit(5).unwrap();
        assert!(!is_open(&answered), "nobody else could");
        fifth.conduct.enter(Phase::Working);
        assert!(admit(6).is_none(), "three are worked for");
        drop(working);
        assert!(admit(6).is_some());
    }

    #[test]
    fn an_address_has_so_many_and_makes_room_for_itself() {
        let all = connections(10, 2);
        let other = all.admit(from(9)).unwrap();
        let mine = [0, 1, 2].map(|_| {
            // As slowly as the rate allows.
            std::thread::sleep(Duration::from_millis(3));
            all.admit(from(1)).unwrap()
        });
        assert_eq!(mine.iter().filter(|one| is_open(one)).count(), 2);
        assert!(is_open(&other));
        // All addresses of an IPv6 network are one client's, and mapped ones those of IPv4.
        let v6 = |text: &str| network(text.parse().unwrap());
        assert_eq!(v6("2001:db8:1:2::1"), v6("2001:db8:1:2:ffff::9"));
        assert_ne!(v6("2001:db8:1:2::1"), v6("2001:db8:1:3::1"));
        assert_eq!(v6("::ffff:192.0.2.1"), network(from(1)));
        drop(mine);
        assert_eq!(all.lock().networks.len(), 1, "nothing is remembered of who left");
    }

    #[test]
    fn an_address_opens_connections_at_a_rate() {
        let limits =
            Limits { connections_per_address: 5, connections_per_second: 1, ..Limits::default() };
        let all = Arc::new(Connections::new(&limits, true, Counts::default()));
        let admitted: Vec<_> = (0..20).filter_map(|_| all.admit(from(1))).collect();
        assert!((5..=6).contains(&admitted.len()), "{}", admitted.len());
        assert!(all.admit(from(2)).is_some());
        let proxied = Arc::new(Connections::new(&limits, false, Counts::default()));
        let admitted: Vec<_> = (0..20).filter_map(|_| proxied.admit(from(1))).collect();
        assert_eq!(admitted.len(), 20, "a proxy's address is nobody's");
    }

    #[test]
    fn slow_readers_are_told_from_steady_ones() {
        let limits = Limits { write_seconds: 0, ..Limits::default() };
        let conduct = || Conduct::new(Instant::now() - Duration::from_secs(5), Vec::new());
        let pause = || std::thread::sleep(Duration::from_millis(3));
        let (steady, slow) = (conduct(), conduct());
        for conduct in [&steady, &slow] {
            conduct.enter(Phase::Answer);
            conduct.block();
        }
        pause();
        steady.took(5000);
        // A byte now and then is not reading.
        slow.took(1);
        slow.block();
        assert_eq!(steady.judge(&limits), Verdict::Keep);
        assert_eq!(slow.judge(&limits), Verdict::End("write"));
        steady.flushed();
        pause();
        assert_eq!(steady.judge(&limits), Verdict::Keep);
    }
}
