//! Collaborative Groth16 of the forward relation. The parties' work is measured one party after the
//! other, as if each had this machine; what they send is counted, and takes no time.

use ::snark::{
    collaborative::{FirstMessage, Prover, SecondMessage, deal, share_witness},
    groth16::insecure_dealer,
    membership::{Forward, ValueSet},
};
use algebra::{Bn254, Scalar as _};
use circuit::{
    gadgets::baby_jubjub::{CommitmentKey, Fr, JubjubScalar},
    synthesis::Circuit as _,
};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng as _, UnwrapErr};
use wire::{Encode as _, Progress as _};

use super::{Args, Params};
use crate::{
    bench::recorder::{Recorder, Sample},
    failure::Failure,
    progress::Bars,
};

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
    recorder
        .measure("single-prove", 1, args.repeat, || key.prove(&witness, &mut rng))
        .map_err(Failure::refused)?;

    let (rows, parties) = (key.domain_size(), args.parties);
    let mut samples = Samples::default();
    let mut bytes = 0;
    for _ in 0..args.repeat {
        bars.begin("parties", parties.into());
        let shares = share_witness::<Bn254>(&witness, key.public(), parties, &mut rng);
        let shares = shares.map_err(Failure::input)?;
        let (triples, dealt) = Sample::of(|| deal::<Bn254>(rows as u32, parties, &mut rng));
        let triples = triples.map_err(Failure::input)?;
        samples.deal.push(dealt);

        let mut times = Vec::new();
        let (mut provers, mut first) = (Vec::new(), Vec::new());
        for (share, triples) in shares.iter().zip(&triples) {
            let (started, time) = Sample::of(|| -> Result<_, Failure> {
                let started = Prover::start(&key, &system, share, triples, &mut rng);
                let (prover, message) = started.map_err(Failure::input)?;
                Ok((prover, message.to_bytes()))
            });
            let (prover, message) = started?;
            provers.push(prover);
            first.push(message);
            times.push(time);
            bars.advance(1);
        }
        let (mut finishing, mut second) = (Vec::new(), Vec::new());
        for (prover, time) in provers.into_iter().zip(&mut times) {
            let (done, sample) = Sample::of(|| -> Result<_, Failure> {
                let messages = first.iter().map(|bytes| FirstMessage::decode(bytes, rows));
                let messages = messages.collect::<Result<Vec<_>, _>>().map_err(Failure::input)?;
                let (next, message) = prover.second(&messages).map_err(Failure::input)?;
                Ok((next, message.to_bytes()))
            });
            let (next, message) = done?;
            finishing.push(next);
            second.push(message);
            *time = *time + sample;
        }
        for (party, time) in finishing.into_iter().zip(&mut times) {
            let (done, sample) = Sample::of(|| -> Result<_, Failure> {
                let messages = second.iter().map(|bytes| SecondMessage::decode(bytes));
                let messages = messages.collect::<Result<Vec<_>, _>>().map_err(Failure::input)?;
                party.finish(&messages).map_err(Failure::refused)
            });
            done?;
            *time = *time + sample;
        }
        let sent = |messages: &[Vec<u8>]| messages.first().map_or(0, Vec::len);
        bytes = usize::from(parties - 1) * (sent(&first) + sent(&second));
        samples.party.extend(times);
    }
    recorder.row("deal", rows as u64 + 1, &samples.deal);
    recorder.row("party-prove", 1, &samples.party);

    recorder.size("party_sent_bytes", bytes);
    recorder.size("dealt_bytes", 32 * (rows + 1));
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

/// What took how long.
#[derive(Default)]
struct Samples {
    deal: Vec<Sample>,
    /// Of every party in every repetition.
    party: Vec<Sample>,
}
