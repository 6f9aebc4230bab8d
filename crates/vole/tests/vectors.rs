//! `vectors/vole`: the verdict of a verifier to whom a prover proved a circuit, both from seeds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use board::Identity;
use claim::{Bundle, BundleWriter, Registry};
use vole::{
    Meeting, Setup,
    circuit::{
        Accepted, Assignments, Circuit, Circumstances, Statement, Subject, Value, VerdictVerifier,
    },
};
use wire::Progress;

use crate::common::{rng, run};

const DONE: &dyn Progress = &();

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/vole")
}

fn values<const N: usize>(values: [(&str, i64); N]) -> Assignments {
    values.map(|(name, value)| (name.to_owned(), Value::Int(value))).into()
}

/// Somebody proves an income of 45,000, a third of the total, to the verifier who signs.
fn make(root: &Path) {
    let text = fs::read_to_string(folder().join("income.circuit")).unwrap();
    let circuit = Circuit::from_text(&text).unwrap();
    let public = values([("limit", 30_000), ("ok", 1)]);
    let statement = Statement::new(&circuit, &public).unwrap();
    let witness = statement.witness(&values([("income", 45_000), ("factor", 3)])).unwrap();
    let (setup, context) = (Setup::default(), statement.context());
    let meeting = || Meeting::about(&context);
    let (proven, verified) = run(
        None,
        |channel| statement.prove((channel, meeting(), &mut rng(1)), setup, &witness, |_| DONE),
        |channel| statement.verify((channel, meeting(), &mut rng(2)), setup, |_| DONE),
    );
    let (proven, verified) = (proven.unwrap(), verified.unwrap());
    assert_eq!((&proven.outputs, proven.session), (&verified.outputs, verified.session));
    let circumstances = Circumstances {
        session: verified.session,
        subject: Subject::Named("the owner of account 7".to_owned()),
        time: 1_790_000_000,
        nonce: Some("aabbcc".to_owned()),
    };
    let outputs = &verified.outputs;
    let accepted = Accepted { statement: &statement, outputs, setup, circumstances };
    let mut writer = BundleWriter::create(&root.join("income")).unwrap();
    let identity = Identity::generate(&mut rng(3));
    accepted.add_to(&mut writer, text.as_bytes(), &public, &identity).unwrap();
    let bundle = writer.finish().unwrap();
    claim::verify(&bundle, &Registry::new().with(VerdictVerifier), &()).unwrap();
}

#[test]
fn the_vectors_of_verdicts_are_made_again() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    let digest = |root: &Path| Bundle::open(&root.join("income")).unwrap().digest().unwrap();
    assert_eq!(digest(&folder()), digest(directory.path()), "`scripts/vectors`");
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_verdicts_are_made() {
    fs::remove_dir_all(folder().join("income")).unwrap();
    make(&folder());
}
