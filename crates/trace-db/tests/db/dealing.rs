//! The dealer's blindings: nobody else's, for these lists, this pass and these servers; and what
//! cheating servers and the querier learn from products that are dealt.

use algebra::{Group, Scalar};
use shuffle::sigma::KnowledgeProof;
use trace::*;
use trace_db::{rsm::*, *};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Digest, Encode, Reader};

use super::support::*;

const DOMAIN: &str = "subrosa/trace/db/dealing/v2";

fn ready() -> (World, RsmQuery) {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let (query, _) = world.rsm_query(pass);
    (world, query)
}

pub fn decode(session: &Session, bytes: &[u8]) -> Option<RsmDealing> {
    let mut reader = Reader::new(bytes);
    let dealing = RsmDealing::decode(&mut reader, session).ok()?;
    reader.finish().ok().map(|()| dealing)
}

/// A dealing with other parts that the dealer itself signs.
pub fn resign(world: &World, routed: &RsmRouted, parts: &[u8]) -> Vec<u8> {
    let pass = routed.query().pass().id().as_bytes();
    let session = world.session.id().as_bytes();
    let digest = digest_of(DOMAIN, &[session, pass, routed.digest().as_bytes(), parts]);
    [parts, &world.dealer.sign(DOMAIN, digest)].concat()
}

fn refused<T>(result: Result<T, TraceError>) -> bool {
    matches!(result.err(), Some(TraceError::Dealing(_)))
}

#[test]
fn only_the_dealers_blindings_for_the_routed_lists_are_taken() {
    let (mut world, query) = ready();
    let routed = world.rsm_route(query.clone());
    let again = world.rsm_route(query);
    assert_ne!(routed.digest(), again.digest());
    let short = world.query(Direction::Out, &[0, 2], &[0]);
    let (short, _) = world.rsm_query(world.pass(&short, Side::Asked));
    let short = world.rsm_route(short);
    let short = deal(&short, &world.dealer, &mut world.rng).unwrap().to_bytes();
    let dealing = deal(&routed, &world.dealer, &mut world.rng).unwrap();
    let verify =
        |dealing: RsmDealing| RsmBlinded::verify(routed.clone(), &world.dealer.id(), dealing);
    let stranger = deal(&routed, &world.identity, &mut world.rng.clone()).unwrap();
    assert!(refused(verify(stranger)));
    let elsewhere = deal(&again, &world.dealer, &mut world.rng.clone()).unwrap();
    assert!(refused(verify(elsewhere)));
    let bytes = dealing.to_bytes();
    let session = world.session.clone();
    let mutants = mutants_with(&bytes, 29, |bytes| decode(&session, bytes));
    assert!(mutants.len() > 30);
    for (position, forged) in mutants {
        assert!(refused(verify(forged)), "byte {position}");
    }
    assert!(decode(&session, &bytes[..bytes.len() - 1]).is_none());

    // What resign() makes is what the dealer signs; a dealing about fewer rows is refused even so.
    let parts = |bytes: &[u8]| bytes[..bytes.len() - 64].to_vec();
    let same = decode(&session, &resign(&world, &routed, &parts(&bytes))).unwrap();
    assert_eq!(same, dealing);
    let short = decode(&session, &resign(&world, &routed, &parts(&short))).unwrap();
    assert!(refused(verify(short)));
    assert!(verify(dealing).is_ok());
}

/// A sealed share for this many rows: ephemeral key, its proof, length, seed, count, products, tag.
fn sealed_len(rows: usize) -> usize {
    48 + KnowledgeProof::<G1>::ENCODED_LEN + 4 + 32 + 4 + 2 * 32 * rows + 16
}

#[test]
fn a_server_refuses_a_share_that_is_not_of_its_public_part() {
    let (mut world, query) = ready();
    let routed = world.rsm_route(query);
    let dealing = deal(&routed, &world.dealer, &mut world.rng).unwrap();
    let bytes = dealing.to_bytes();
    let parts = &bytes[..bytes.len() - 64];
    let (first, second) = parts.split_at(parts.len() / 2);
    let session = world.session.clone();
    let sign = |world: &mut World, dealing: RsmDealing, server: usize| {
        let blinded = RsmBlinded::verify(routed.clone(), &world.dealer.id(), dealing)?;
        world.servers[server].sign_quasi_signatures(&blinded, &mut world.journals[server])
    };
    // One server's part in the place of the other's.
    for copied in [[second, first], [first, first]] {
        let forged = decode(&session, &resign(&world, &routed, &copied.concat())).unwrap();
        assert!(refused(sign(&mut world, forged, 1)));
    }
    // Anything else in server 2's part: points, numbers, Z_1, the proof, the sealed share.
    let resigned = |world: &World, part: &[u8]| {
        decode(&session, &resign(world, &routed, &[first, part].concat()))
    };
    let mutants = mutants_with(second, 37, |part| resigned(&world, part));
    assert!(mutants.len() > 15);
    for (position, forged) in mutants {
        assert!(refused(sign(&mut world, forged, 1)), "byte {position}");
    }
    // What only the server can see: a share that is not of its public part, all openings known.
    let other = deal(&routed, &world.dealer, &mut world.rng).unwrap().to_bytes();
    let sealed = second.len() - sealed_len(3);
    let swapped = [&second[..sealed], &other[bytes.len() - 64 - sealed_len(3)..bytes.len() - 64]];
    let swapped = resigned(&world, &swapped.concat()).unwrap();
    assert!(RsmBlinded::verify(routed.clone(), &world.dealer.id(), swapped.clone()).is_ok());
    assert!(refused(sign(&mut world, swapped, 1)));
    // Nothing of this was signed. What is signed first is the pass's only dealing.
    assert!(sign(&mut world, dealing, 1).is_ok());
    let second = deal(&routed, &world.dealer, &mut world.rng).unwrap();
    let result = sign(&mut world, second, 1);
    assert!(matches!(result.err(), Some(TraceError::Committed { server: 2, .. })));
}

#[test]
fn two_dealings_never_have_the_same_blindings() {
    let (mut world, query) = ready();
    let routed = world.rsm_route(query);
    let mut deal = || deal(&routed, &world.dealer, &mut world.rng).unwrap().to_bytes();
    let (one, other) = (deal(), deal());
    // Points, numbers and Z_1 all differ: no run of 32 bytes is in both but zeros.
    let windows = |bytes: &[u8]| -> std::collections::BTreeSet<Vec<u8>> {
        bytes.windows(32).map(<[u8]>::to_vec).collect()
    };
    let shared: Vec<_> = windows(&one).intersection(&windows(&other)).cloned().collect();
    assert!(shared.is_empty());
}

/// A scalar for every one of the six witnesses and every row.
type Scalars = Vec<Vec<F>>;

/// What p_BBS+ is about, as everybody can compute it.
struct Equations {
    statement: RsmStatement,
    y: G1,
}

impl Equations {
    /// The right sides of the three equations for each row.
    fn apply(&self, z: &Scalars) -> Vec<[G1; 3]> {
        let hashed =
            |label: &str| G1::hash_to_group(format!("subrosa/trace/db/{label}").as_bytes());
        let (g, h, e) = (G1::generator(), hashed("H"), hashed("E"));
        let [c, _] = self.statement.tuples().numbers();
        let points = self.statement.tuples().points();
        let rows = points.iter().zip(c).zip(self.statement.commitments().points()).enumerate();
        rows.map(|(j, ((point, c), z_1))| {
            let [s, b_c, r, d_0, d_1, d_2] = std::array::from_fn(|w| z[w][j]);
            [
                (self.y + g.mul(c)).mul(&s) + point.mul(&b_c) - g.mul(&d_1) - h.mul(&r),
                g.mul(&s) + e.mul(&d_0),
                g.mul(&d_1) + e.mul(&d_2) - z_1.mul(&b_c),
            ]
        })
        .collect()
    }

    /// The right sides that announcements and responses have in them: `(R − image(z))/c`.
    fn differences(&self, announced: &Announced, z: &Scalars) -> Vec<[G1; 3]> {
        let inverse = announced.challenge().scalar().invert().unwrap();
        let sums = announced.sums().points();
        let images = self.apply(z);
        let items = images.len();
        let at = |j: usize, e: usize| (sums[e * items + j] - images[j][e]).mul(&inverse);
        (0..items).map(|j| std::array::from_fn(|e| at(j, e))).collect()
    }

    /// What the statement is called in announcements.
    fn digest(&self, query: &RsmQuery) -> Digest {
        let (tuples, z_1) = (self.statement.tuples().to_bytes(), self.statement.commitments());
        let opened = self.statement.opened().as_bytes();
        let parts: [&[u8]; 4] = [query.digest().as_bytes(), opened, &tuples, z_1.encoding()];
        digest_of("trace/db/rsm/statement", &parts)
    }
}

/// `c_i` of every row: everybody can compute them.
fn numbers(query: &RsmQuery) -> Vec<F> {
    let pass = query.pass();
    let mut transcript = Transcript::new(b"subrosa/trace/db/bbs/numbers/v1");
    transcript.absorb(b"context", pass.id().as_bytes());
    transcript.absorb(b"y", &query.offer().key().encode());
    let wides = transcript.challenge_wides(b"c, r", 2 * pass.outputs().rows());
    wides.as_chunks::<2>().0.iter().map(|[c, _]| F::from_wide(c)).collect()
}

/// Server 2's announcement with a scalar's multiples of G in the first equation, of E in the others.
fn shifted(honest: &Announcement, items: usize, by: &F) -> Announcement {
    let e = G1::hash_to_group(b"subrosa/trace/db/E");
    let bytes = honest.to_bytes();
    let points = shuffle::PointList::<G1>::decode(&bytes[4..]).unwrap();
    let moved = points.points().iter().enumerate().map(|(place, &point)| {
        point + if place < items { G1::mul_generator(by) } else { e.mul(by) }
    });
    let moved = shuffle::PointList::new(moved.collect());
    Announcement::from_bytes(&[&bytes[..4], moved.encoding()].concat()).unwrap()
}

/// A world with opened tuples, of which nothing was announced yet.
struct Opened {
    world: World,
    query: RsmQuery,
    opened: RsmOpened,
    equations: Equations,
}

impl Opened {
    fn new() -> Self {
        let (mut world, query) = ready();
        let opened = world.rsm_open(query.clone());
        let statement = opened.statement().clone();
        let equations = Equations { statement, y: *query.offer().image() };
        Self { world, query, opened, equations }
    }

    /// The right sides of an honest run. Journals are restored: a server answers once a pass.
    fn honest(&mut self) -> Vec<[G1; 3]> {
        let before = self.world.journals.clone();
        let (commitments, announcements) = self.world.rsm_announce(&self.opened);
        let announced = self.opened.challenge(&commitments, &announcements).unwrap();
        let proof = self.world.rsm_prove(&self.opened, &announced);
        self.world.journals = before;
        self.equations.differences(&announced, &proof.responses().to_vec())
    }
}

#[test]
fn honest_right_sides_are_public_but_for_the_first() {
    let mut run = Opened::new();
    for (j, [_, second, third]) in run.honest().iter().enumerate() {
        assert_eq!(*second, run.opened.statement().commitments().points()[j]);
        assert!(third.is_identity());
    }
}

/// The attack of a server and the querier on products that servers multiply with triples: an error
/// ε in one opened factor made the third right side `ε·(c~_j − c_{π(j)})·E`. No server sends factors
/// any more. What a server announces moves the right sides by what it knows before it sees them,
/// for all rows alike and whatever π is, although it changes the challenge of all servers.
#[test]
fn a_spoilt_announcement_tells_nothing_about_the_permutation() {
    let mut run = Opened::new();
    let honest = run.honest();
    let (commitments, announcements) = run.world.rsm_announce(&run.opened);
    let epsilon = F::from_u64(7);
    let spoilt = shifted(&announcements[1], 3, &epsilon);
    let (server, name) = (2_u16.to_le_bytes(), run.equations.digest(&run.query));
    let commit = |announcement: &Announcement| {
        let points = &announcement.to_bytes()[4..];
        digest_of("trace/db/announcement", &[name.as_bytes(), &server, points])
    };
    assert_eq!(commit(&announcements[1]), commitments[1]);
    let commitments = [commitments[0], commit(&spoilt)];
    let announcements = [announcements[0].clone(), spoilt];
    let announced = run.opened.challenge(&commitments, &announcements).unwrap();
    let proof = run.world.rsm_prove(&run.opened, &announced);
    assert_eq!(proof.shown(&announced).read(&mut run.world.rng).proven, [false; 3]);

    let e = G1::hash_to_group(b"subrosa/trace/db/E");
    let by = epsilon * announced.challenge().scalar().invert().unwrap();
    let known = [G1::mul_generator(&by), e.mul(&by), e.mul(&by)];
    let seen = run.equations.differences(&announced, &proof.responses().to_vec());
    for (seen, honest) in seen.iter().zip(&honest) {
        let moved: [G1; 3] = std::array::from_fn(|equation| seen[equation] - honest[equation]);
        assert_eq!(moved, known);
    }
    // The comparison that found π(j) finds nothing.
    let [blinded, _] = run.opened.statement().tuples().numbers();
    for (c, [_, _, third]) in blinded.iter().zip(&seen) {
        for candidate in numbers(&run.query) {
            for factor in [epsilon, by] {
                assert_ne!(*third, e.mul(&(factor * (*c - candidate))));
            }
        }
    }
}

/// A server that claims other shares in its response, of any witness: the right sides move by the
/// public equations put to what it added.
#[test]
fn a_spoilt_response_tells_nothing_about_the_permutation() {
    let mut run = Opened::new();
    let honest = run.honest();
    let (commitments, announcements) = run.world.rsm_announce(&run.opened);
    let announced = run.opened.challenge(&commitments, &announcements).unwrap();
    let proof = run.world.rsm_prove(&run.opened, &announced);
    let inverse = announced.challenge().scalar().invert().unwrap();
    for witness in 0..6 {
        let mut added = vec![vec![F::zero(); 3]; 6];
        added[witness] = vec![F::from_u64(7); 3];
        let claimed: Scalars = proof
            .responses()
            .iter()
            .zip(&added)
            .map(|(z, added)| z.iter().zip(added).map(|(&z, &added)| z + added).collect())
            .collect();
        let known = run.equations.apply(&added);
        let seen = run.equations.differences(&announced, &claimed);
        for j in 0..3 {
            let moved: [G1; 3] = std::array::from_fn(|e| honest[j][e] - seen[j][e]);
            assert_eq!(moved, known[j].map(|point| point.mul(&inverse)), "witness {witness}");
        }
    }
}
