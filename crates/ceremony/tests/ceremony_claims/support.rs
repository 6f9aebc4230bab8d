//! Small ceremonies of both forms.

use std::{io::Cursor, path::Path};

use algebra::{Engine, Scalar, ScalarOf};
use ceremony::{
    Snapshot, Trust,
    claims::{CLAIM_KIND, CeremonyVerifier, Evidence, Files},
    phase1::{self, Beacon, Settings},
    phase2,
};
use circuit::{
    synthesis::{Circuit, Synthesizer},
    zkey::Zkey,
};
use claim::{Bundle, BundleWriter, Claim, Registry, Verdict, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;

pub fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// "I know the factors of this number."
pub struct Factors;

impl<S: Scalar> Circuit<S> for Factors {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let (p, q) = (cs.private(S::from_u64(3)), cs.private(S::from_u64(7)));
        let product = cs.product(&p, &q);
        cs.expose(&product);
    }
}

/// A circuit, a prepared phase 1 and a key, each of two contributors, of whom the second is a beacon.
#[derive(Clone)]
pub struct Ceremony {
    pub circuit: Vec<u8>,
    pub phase1: Vec<u8>,
    pub key: Vec<u8>,
}

fn snapshot(bytes: &[u8]) -> Snapshot<Cursor<&[u8]>> {
    Snapshot::take(Cursor::new(bytes), &()).unwrap()
}

fn beacon() -> Beacon {
    Beacon::new((1..=16).collect(), 10).unwrap()
}

fn name(name: &str) -> Option<String> {
    Some(name.to_owned())
}

impl Ceremony {
    /// In the form of snarkjs.
    pub fn new<E: Engine>() -> Self {
        let (mut first, mut one, mut two) = (Cursor::new(Vec::new()), Vec::new(), Vec::new());
        phase1::new::<E>(&mut first, 3, &()).unwrap();
        let (old, rng1) = (&mut snapshot(first.get_ref()), &mut rng(1));
        phase1::contribute::<E>(
            old,
            &mut Cursor::new(&mut one),
            name("Ana"),
            Trust::Skip,
            rng1,
            &(),
        )
        .unwrap();
        phase1::contribute_beacon::<E>(
            &mut Cursor::new(&one),
            &mut Cursor::new(&mut two),
            None,
            &beacon(),
            &(),
        )
        .unwrap();
        let mut phase1 = Vec::new();
        phase1::prepare::<E>(&mut Cursor::new(&two), &mut Cursor::new(&mut phase1), &()).unwrap();
        let circuit = circuit::<E>();
        let (mut first, mut one, mut key) = (Vec::new(), Vec::new(), Vec::new());
        let (r1cs, ptau) = (&mut Cursor::new(&circuit), &mut Cursor::new(&phase1));
        let into = &mut Cursor::new(&mut first);
        phase2::new::<E>(r1cs, ptau, into, &Settings::default(), &()).unwrap();
        let (old, rng2) = (&mut snapshot(&first), &mut rng(2));
        phase2::contribute::<E>(
            old,
            &mut Cursor::new(&mut one),
            name("Ben"),
            Trust::Skip,
            rng2,
            &(),
        )
        .unwrap();
        let (old, new) = (&mut Cursor::new(&one), &mut Cursor::new(&mut key));
        phase2::contribute_beacon::<E>(old, new, None, &beacon(), &()).unwrap();
        Self { circuit, phase1, key }
    }

    /// In the native form.
    pub fn native<E: Engine>() -> Self {
        let (mut first, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
        phase1::native::new::<E>(&mut first, 3, &()).unwrap();
        let (old, rng1) = (&mut snapshot(&first), &mut rng(1));
        phase1::native::contribute::<E>(old, &mut one, name("Ana"), Trust::Skip, rng1, &())
            .unwrap();
        let old = &mut Cursor::new(&one);
        phase1::native::contribute_beacon::<E>(old, &mut two, None, &beacon(), &()).unwrap();
        let mut phase1 = Vec::new();
        phase1::prepare::<E>(&mut Cursor::new(&two), &mut Cursor::new(&mut phase1), &()).unwrap();
        let circuit = circuit::<E>();
        let (mut first, mut one, mut key) = (Vec::new(), Vec::new(), Vec::new());
        let (r1cs, ptau) = (&mut Cursor::new(&circuit), &mut Cursor::new(&phase1));
        phase2::native::new::<E>(r1cs, ptau, &mut first, &Settings::default(), &()).unwrap();
        let (old, rng2) = (&mut snapshot(&first), &mut rng(2));
        phase2::native::contribute::<E>(old, &mut one, name("Ben"), Trust::Skip, rng2, &())
            .unwrap();
        let old = &mut Cursor::new(&one);
        phase2::native::contribute_beacon::<E>(old, &mut key, None, &beacon(), &()).unwrap();
        Self { circuit, phase1, key }
    }

    pub fn whole(&self) -> Files {
        let Self { circuit, phase1, key } = self.clone();
        Files { evidence: Evidence::Key { parameters: key, circuit, phase1 }, location: None }
    }

    pub fn phase1(&self) -> Files {
        let parameters = self.phase1.clone();
        let location = Some("https://phase1.example/last.ptau".to_owned());
        Files { evidence: Evidence::Phase1 { parameters }, location }
    }

    pub fn record<E: Engine>(&self) -> Files {
        let evidence = Evidence::Record {
            record: record::<E>(&self.key),
            parameters: snapshot(&self.key).digest(),
        };
        Files { evidence, location: Some("https://key.example/last.zkey".to_owned()) }
    }
}

fn circuit<E: Engine>() -> Vec<u8> {
    let system = Circuit::<ScalarOf<E>>::constraint_system(&Factors);
    system.write::<E, _>(Cursor::new(Vec::new())).unwrap().into_inner()
}

/// What is left of a key.
pub fn record<E: Engine>(key: &[u8]) -> Vec<u8> {
    let reader = &mut Cursor::new(key);
    Zkey::<E>::open(reader).unwrap().write_record(reader, Vec::new()).unwrap()
}

/// What anybody could write: these objects under a statement that nobody checked.
pub fn forge(root: &Path, evidence: &Evidence, statement: Value) -> Bundle {
    let roles: Vec<(&str, &[u8])> = match evidence {
        Evidence::Phase1 { parameters } => vec![("parameters", parameters)],
        Evidence::Key { parameters, circuit, phase1 } => {
            vec![("parameters", parameters), ("circuit", circuit), ("phase1", phase1)]
        }
        Evidence::Record { record, .. } => vec![("record", record)],
    };
    forge_roles(root, &roles, statement)
}

pub fn forge_roles(root: &Path, roles: &[(&str, &[u8])], statement: Value) -> Bundle {
    let mut writer = BundleWriter::create(root).unwrap();
    let mut objects = Vec::new();
    for (role, bytes) in roles {
        objects.push((*role, vec![writer.add_object(role, bytes).unwrap()]));
    }
    writer.add_claim(CLAIM_KIND, &Claim::new(CLAIM_KIND, 1, objects, statement)).unwrap();
    writer.finish().unwrap()
}

pub fn verify(bundle: &Bundle) -> Result<Verdict, VerifyError> {
    let verdicts = claim::verify(bundle, &Registry::new().with(CeremonyVerifier), &())?;
    Ok(verdicts.into_iter().next().unwrap())
}
