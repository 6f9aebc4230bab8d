//! Collaborative Groth16 of the forward relation. The parties' work is measured one party after the
//! other, as if each had this machine; what they send is counted, and takes no time.

use ::snark::{
    collaborative::{
        CheckShare, Error, FirstMessage, MaskedShare, Prover, SecondMessage, TripleShare,
        WitnessShare, deal, share_witness,
    },
    groth16::{ProvingKey, insecure_dealer},
    membership::{Forward, ValueSet},
};
use algebra::{Bn254, Scalar as _, ScalarOf};
use circuit::{
    gadgets::baby_jubjub::{CommitmentKey, Fr, JubjubScalar},
    synthesis::{Circuit as _, ConstraintSystem},
};
use cli::{failure::Failure, progress::Bars};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::json;
use wire::{Decode as _, DecodeError, Digest, Encode, Progress as _, Reader};

use super::args::{Args, Params};
use crate::bench::recorder::{Recorder, Sample};

/// The rows in the order in which they are measured.
pub fn run(args: &Args, bars: &Bars) -> Result<(Recorder, Params), Failure> {
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let (mut recorder, commitments) = (Recorder::new(), CommitmentKey::new());
    let values = (0..args.n).filter_map(|v| JubjubScalar::new(Fr::from_u64(v.into())));
    let values: Vec<_> = values.collect();
    let (depth, index) = (args.n.next_power_of_two().ilog2() as usize, values.len() / 2);
    bars.begin("accumulate", args.n.into());
    let set = recorder.measure("accumulate", args.n.into(), 1, || ValueSet::new(&values, depth));
    let set = set.ok_or_else(|| Failure::input("the set is too large"))?;

    bars.begin("setup", 1);
    let system = Forward::blank(&commitments, depth).constraint_system();
    let constraints = system.header().constraints;
    let key = recorder.measure("setup", constraints.into(), 1, || {
        insecure_dealer::<Bn254>(&system, &mut rng).map_err(Failure::input)
    })?;

    bars.begin("single prover", 1);
    let missing = || Failure::input("no such element");
    let value = values.get(index).ok_or_else(missing)?;
    let path = set.path(index).ok_or_else(missing)?;
    let statement = Forward::new(&commitments, value, &JubjubScalar::random(&mut rng), path);
    let witness = statement.witness();
    let mut samples = Samples::default();
    for _ in 0..args.repeat {
        let (proof, alone) = Sample::of(|| key.prove(&witness, &mut rng));
        proof.map_err(Failure::refused)?;
        samples.single.push(alone);
    }
    recorder.row("single-prove", 1, &samples.single);

    let (rows, parties) = (key.domain_size(), args.parties);
    samples.parties.resize(parties.into(), Vec::new());
    let mut traffic = Vec::new();
    for _ in 0..args.repeat {
        bars.begin("parties", parties.into());
        let shares = share_witness::<Bn254>(&witness, key.public(), parties, &mut rng);
        let shares = shares.map_err(Failure::input)?;
        let (triples, dealt) = Sample::of(|| deal::<Bn254>(rows as u32, parties, &mut rng));
        let triples = triples.map_err(Failure::input)?;
        samples.deal.push(dealt);

        let (times, bytes) = parties_prove(&key, &system, &shares, &triples, &mut rng, bars)?;
        traffic = bytes;
        samples.parties.iter_mut().zip(times).for_each(|(party, time)| party.push(time));
    }
    recorder.row("deal", rows as u64 + 2, &samples.deal);
    recorder.row("party-prove", 1, &samples.parties.concat());
    side_by_side(&mut recorder, &samples, &traffic);

    recorder.size("party_sent_bytes", traffic.first().map_or(0, |party| party.sent));
    recorder.size("dealt_bytes", 32 * (rows + 2));
    let params = Params {
        system: args.system,
        curve: "bn128",
        n: args.n,
        depth: Some(depth),
        parties: Some(parties),
        constraints,
        threads: rayon::current_num_threads(),
        repeat: args.repeat,
    };
    Ok((recorder, params))
}

/// All rounds of all parties, one party after the other: how long each takes, and what it sends and
/// receives.
fn parties_prove(
    key: &ProvingKey<Bn254>,
    system: &ConstraintSystem<ScalarOf<Bn254>>,
    shares: &[WitnessShare<Bn254>],
    triples: &[TripleShare<Bn254>],
    rng: &mut ChaCha20Rng,
    bars: &Bars,
) -> Result<(Vec<Sample>, Vec<Traffic>), Failure> {
    let (mut times, mut provers, mut first) = (Vec::new(), Vec::new(), Vec::new());
    for (share, triples) in shares.iter().zip(triples) {
        let (started, time) = Sample::of(|| -> Result<_, Failure> {
            let started = Prover::start(key, system, share, triples, rng);
            let (prover, message) = started.map_err(Failure::input)?;
            Ok((prover, message.to_bytes()))
        });
        let (prover, message) = started?;
        provers.push(prover);
        first.push(message);
        times.push(time);
        bars.advance(1);
    }
    let rows = key.domain_size();
    let (parties, masked) = round(provers, &mut times, |party| {
        let messages = decoded(&first, |bytes| FirstMessage::decode(bytes, rows))?;
        sent(party.mask(&messages))
    })?;
    let (parties, commitments) = round(parties, &mut times, |party| {
        let messages = decoded(&masked, MaskedShare::decode)?;
        sent(party.commit(&messages, rng))
    })?;
    let (parties, shares) = round(parties, &mut times, |party| {
        let messages = decoded(&commitments, |bytes| Digest::decode(&mut Reader::new(bytes)))?;
        sent(party.reveal(&messages))
    })?;
    let (parties, second) = round(parties, &mut times, |party| {
        sent(party.second(&decoded(&shares, CheckShare::decode)?))
    })?;
    round(parties, &mut times, |party| {
        let proof = party.finish(&decoded(&second, SecondMessage::decode)?);
        proof.map(|_| ((), Vec::new())).map_err(Failure::refused)
    })?;
    Ok((times, traffic_of(&[first, masked, commitments, shares, second])))
}

/// A step of every party, whose time is added to the party's: the parties after it, and their messages.
fn round<P, Q>(
    parties: Vec<P>,
    times: &mut [Sample],
    mut step: impl FnMut(P) -> Result<(Q, Vec<u8>), Failure>,
) -> Result<(Vec<Q>, Vec<Vec<u8>>), Failure> {
    let (mut next, mut messages) = (Vec::new(), Vec::new());
    for (party, time) in parties.into_iter().zip(times) {
        let (done, sample) = Sample::of(|| step(party));
        let (party, message) = done?;
        next.push(party);
        messages.push(message);
        *time = *time + sample;
    }
    Ok((next, messages))
}

fn decoded<T>(
    messages: &[Vec<u8>],
    decode: impl Fn(&[u8]) -> Result<T, DecodeError>,
) -> Result<Vec<T>, Failure> {
    messages.iter().map(|bytes| decode(bytes)).collect::<Result<_, _>>().map_err(Failure::input)
}

fn sent<Q, M: Encode>(step: Result<(Q, M), Error>) -> Result<(Q, Vec<u8>), Failure> {
    let (next, message) = step.map_err(Failure::refused)?;
    Ok((next, message.to_bytes()))
}

/// What took how long, in every repetition.
#[derive(Default)]
struct Samples {
    single: Vec<Sample>,
    deal: Vec<Sample>,
    /// Of each party.
    parties: Vec<Vec<Sample>>,
}

/// Bytes of messages between one party and all others.
struct Traffic {
    sent: usize,
    received: usize,
}

/// What each party sends and receives if everybody sends these messages to everybody else.
fn traffic_of(rounds: &[Vec<Vec<u8>>]) -> Vec<Traffic> {
    let parties = rounds.first().map_or(0, Vec::len);
    let bytes = |party| rounds.iter().filter_map(|round| round.get(party)).map(Vec::len).sum();
    let own: Vec<usize> = (0..parties).map(bytes).collect();
    let all: usize = own.iter().sum();
    let of = |own: &usize| Traffic { sent: own * (parties - 1), received: all - own };
    own.iter().map(of).collect()
}

/// A line for the single prover and one for each party.
fn side_by_side(recorder: &mut Recorder, samples: &Samples, traffic: &[Traffic]) {
    let single = Sample::median(&samples.single);
    let mut line = |prover: String, sample: Sample, sent: usize, received: usize| {
        let times_single = sample.cpu().as_secs_f64() / single.cpu().as_secs_f64();
        recorder.point(vec![
            ("prover", json!(prover)),
            ("cpu_seconds", json!(rounded(sample.cpu().as_secs_f64()))),
            ("wall_seconds", json!(rounded(sample.seconds()))),
            ("times_single_cpu", json!(rounded(times_single))),
            ("sent_bytes", json!(sent)),
            ("received_bytes", json!(received)),
        ]);
    };
    line("single".to_owned(), single, 0, 0);
    for (party, (times, Traffic { sent, received })) in
        (1..).zip(samples.parties.iter().zip(traffic))
    {
        line(format!("party {party}"), Sample::median(times), *sent, *received);
    }
}

/// Microseconds are as much as the clocks tell.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
