//! `subrosa-lab attack table`: the attacks that succeed against the academic prototype (A to N of
//! `docs/table-attacks.md`), made by a dishonest custodian against our verifier, and by whoever sees what it
//! publishes.

use std::collections::BTreeSet;

use ::table::{
    BuiltEpoch, Entry, EpochHeader, Fault, Fraction, Genesis, Leaf, Lookup, OrderProof, Policy,
    PublicKey, Row, Schema, Table, TableKeys, TypeColumn, TypeKind, UserKeys, ValueColumn, audit,
    log::{Checkpoint, LoggedEpoch, SignedCheckpoint},
    query::{self, Answer, KeyBox, Proof, Query, Rank, Region, Source, Statistic},
    sql,
    sum_tree::Sibling,
    trie::{CoverNode, Label},
};
use algebra::{Group as _, Ristretto255};
use board::Identity;
use cli::{failure::Failure, output::Output};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::Reader;

const DISTRICTS: u64 = 8;
const ROWS: u64 = 64;
const MEDIAN: Fraction = Fraction { part: 1, whole: 2 };
/// The 5th percentile.
const FIFTH_PERCENTILE: Fraction = Fraction { part: 1, whole: 20 };

/// An attack, by its letter in `docs/table-attacks.md`.
struct Attack {
    letter: char,
    /// What the custodian does.
    lie: &'static str,
    /// Why the prototype falls for it.
    prototype: &'static str,
    /// What our verifier says.
    verdict: Result<(), String>,
}

/// The custodian's table: electricity meters of eight districts.
struct Custodian {
    table: Table,
    built: BuiltEpoch,
    header: EpochHeader,
    bundle: Vec<u8>,
    signed: SignedCheckpoint,
}

/// What the verifier says of a lie, if the honest answer was accepted.
type Attempt = Result<Result<(), Fault>, Failure>;
/// Makes a lie and shows it to the verifier. What looks for the part of an answer to change may find none: the lie is
/// then the honest answer, which is accepted, and the command fails with an attack that was not noticed.
type Made = fn(&Custodian) -> Attempt;

/// By their letters: what the custodian, or whoever sees what it publishes, does; and why the prototype falls for
/// it.
const ATTACKS: [(char, &str, &str, Made); 14] = [
    ('A', "another commitment in a key's root", "no hash covers it", Custodian::root),
    (
        'B',
        "a leaf and its sibling moved against each other",
        "the leaf's hash is taken from the proof",
        Custodian::leaf,
    ),
    (
        'C',
        "a range proof for more bits",
        "bit length and generators come with the proof",
        Custodian::wider,
    ),
    (
        'D',
        "masks used twice",
        "its masks are constants, so every proof shows its blinding",
        Custodian::masks,
    ),
    (
        'E',
        "the proof of another question",
        "challenges leave out the statement",
        Custodian::transplanted,
    ),
    (
        'F',
        "the median for the 5th percentile",
        "the wrong side of the rank is compared",
        Custodian::median,
    ),
    (
        'G',
        "an audit without a single order proof",
        "proofs are checked, but not counted",
        Custodian::unproven,
    ),
    (
        'H',
        "another user's row",
        "a look-up is not compared with the user's own values",
        Custodian::strangers,
    ),
    (
        'I',
        "two equal values, told from their commitments",
        "third powers of large seeds share one blinding, so equal values have equal commitments",
        Custodian::equal_values,
    ),
    (
        'J',
        "pseudonyms guessed from a list of names",
        "a pseudonym is a hash of name and time, so auditors learn everybody's rank",
        Custodian::guessed,
    ),
    (
        'K',
        "the identity element for a commitment",
        "additions with it go wrong, and a missing child ends the process",
        Custodian::identity,
    ),
    (
        'L',
        "SQL behind a question",
        "its SQL is put together from strings, as root and without a password",
        Custodian::injected,
    ),
    (
        'M',
        "a key without rows",
        "it makes a tree for every combination of types, whether it has rows or not",
        Custodian::empty_key,
    ),
    (
        'N',
        "four districts hidden behind a relabelled stub",
        "no hash covers a stub's label",
        Custodian::hidden,
    ),
];

/// Runs the command.
pub fn run(output: &Output) -> Result<(), Failure> {
    let custodian = Custodian::new()?;
    let mut attacks = Vec::new();
    for (letter, lie, prototype, attempt) in ATTACKS {
        let verdict = attempt(&custodian)?.map_err(|fault| fault.to_string());
        attacks.push(Attack { letter, lie, prototype, verdict });
    }
    let unnoticed = attacks.iter().filter(|attack| attack.verdict.is_ok());
    let unnoticed: String = unnoticed.map(|attack| attack.letter).collect();
    if !unnoticed.is_empty() {
        return Err(Failure::refused(format!("attacks that were not noticed: {unnoticed}")));
    }
    let shown = |attack: &Attack| {
        json!({
            "attack": attack.letter.to_string(),
            "lie": attack.lie,
            "prototype": attack.prototype,
            "refused": attack.verdict.as_ref().err(),
        })
    };
    let object = json!({ "attacks": attacks.iter().map(shown).collect::<Vec<_>>() });
    output.result(&object, || {
        let line = |attack: &Attack| {
            let Attack { letter, lie, prototype, verdict } = attack;
            let refused = verdict.as_ref().err().map_or("", String::as_str);
            format!(
                "{letter}  {lie}\n   prototype falls for it: {prototype}\n   here: refused, {refused}"
            )
        };
        let mut lines: Vec<String> = attacks.iter().map(line).collect();
        lines.push(format!("{} attacks, none accepted", attacks.len()));
        lines
    });
    Ok(())
}

impl Custodian {
    fn new() -> Result<Self, Failure> {
        let rng = &mut UnwrapErr(SysRng);
        let operator = Identity::generate(rng);
        let genesis = Genesis {
            schema: schema(),
            first_epoch: 0,
            operator: PublicKey::of(&operator),
            witnesses: Vec::new(),
            quorum: 0,
            dishonest: 0,
            auditors: Vec::new(),
            nonce: Genesis::draw_nonce(rng),
            continues: None,
        };
        let table = Table::new(genesis).map_err(Failure::input)?;
        let secrets = TableKeys::generate(rng);
        let mut entries = Vec::new();
        for user in 0..ROWS {
            let key = table.schema().encode_key(&[user % DISTRICTS]).map_err(Failure::input)?;
            let values = vec![10 + user * 37 % 900];
            let row = Row { user: format!("meter {user}").into_bytes(), key, values };
            entries.push(Entry { row, keys: UserKeys::generate(rng) });
        }
        let built = BuiltEpoch::build(&table, &secrets, 0, entries, &[], *table.id());
        let built = built.map_err(Failure::input)?;
        let bundle = audit::prove(&table, &secrets, &built, &()).map_err(Failure::input)?;
        let header = EpochHeader { core: built.core.clone(), audit: audit::hash(&bundle) };
        let signed = Checkpoint::of(&table, &[header.digest(table.id())]).sign(&operator);
        Ok(Self { table, built, header, bundle, signed })
    }

    fn logged(&self) -> LoggedEpoch {
        LoggedEpoch { header: self.header.clone(), inclusion: Vec::new() }
    }

    /// An honest answer about the first districts.
    fn answer(&self, statistic: Statistic, districts: u64) -> Result<Answer, Failure> {
        let boxes = vec![KeyBox { ranges: vec![(0, districts - 1)] }];
        let query = Query { column: 0, region: Region { from: 0, to: 0, boxes }, statistic };
        let sources = [Source { logged: self.logged(), built: &self.built }];
        let (checkpoint, rng) = (&self.signed.checkpoint, &mut UnwrapErr(SysRng));
        query::answer(&self.table, checkpoint, query, &sources, vec![], rng).map_err(Failure::input)
    }

    /// What the verifier says of an answer, after it has accepted the honest one.
    fn judge(&self, honest: &Answer, lie: &Answer) -> Attempt {
        let verify = |answer| query::verify(&self.table, &self.signed, answer, &[]).map(|_| ());
        verify(honest).map_err(Failure::input)?;
        Ok(verify(lie))
    }

    fn root(&self) -> Attempt {
        let honest = self.answer(Statistic::Moments, DISTRICTS)?;
        let mut lie = honest.clone();
        // The commitments of two districts change places: the sum stays, the districts' do not.
        if let Some([one, two]) =
            lie.covers.first_mut().and_then(|cover| cover.keys.first_chunk_mut())
        {
            std::mem::swap(&mut one.1.doubles, &mut two.1.doubles);
        }
        self.judge(&honest, &lie)
    }

    /// A user's looked-up row.
    fn lookup(&self, user: usize) -> Result<(Lookup, &Entry), Failure> {
        let missing = || Failure::input("there is no such row");
        let entry = self.built.entries.get(user).ok_or_else(missing)?;
        let pseudonym = entry.keys.pseudonym(self.table.id(), 0, 0, &entry.row.user);
        let lookup = Lookup::find(&self.built, self.logged(), 0, &pseudonym);
        Ok((lookup.ok_or_else(missing)?, entry))
    }

    fn leaf(&self) -> Attempt {
        let (honest, _) = self.lookup(0)?;
        let mut lie = honest.clone();
        let delta = Ristretto255::hash_to_group(b"delta");
        let shift = |encoded: &mut [u8; 32], by: Ristretto255| {
            if let Ok(point) = Ristretto255::decode(encoded) {
                encoded.copy_from_slice(&(point + by).encode());
            }
        };
        lie.leaf.commitments.iter_mut().for_each(|own| shift(own, delta));
        if let Some(Sibling::Leaf(beside)) = lie.path.siblings.first_mut() {
            beside.commitments.iter_mut().for_each(|other| shift(other, -delta));
        }
        honest.verify(&self.table, &self.signed).map_err(Failure::input)?;
        Ok(lie.verify(&self.table, &self.signed))
    }

    fn wider(&self) -> Attempt {
        let honest = self.answer(Statistic::Order(Rank::Max), DISTRICTS)?;
        let mut lie = honest.clone();
        if let Proof::Order { ranges, .. } = &mut lie.proof {
            // Twice the bits: one more round of two points.
            ranges.iter_mut().for_each(|proof| proof.extend_from_slice(&[0; 64]));
        }
        self.judge(&honest, &lie)
    }

    /// Two range proofs of one statement: no point and no scalar may be the same in both. Behind its first byte a
    /// proof is nothing but these, of 32 bytes each.
    fn masks(&self) -> Attempt {
        let ranges = |answer: Answer| match answer.proof {
            Proof::Order { ranges, .. } => ranges.concat(),
            _ => Vec::new(),
        };
        let ask = || self.answer(Statistic::Order(Rank::Max), DISTRICTS);
        let (one, two) = (ranges(ask()?), ranges(ask()?));
        // A proof without a first byte has no parts either.
        let parts = |proof: &[u8]| proof.get(1..).unwrap_or_default().as_chunks::<32>().0.to_vec();
        let same = parts(&one).iter().zip(&parts(&two)).any(|(one, two)| one == two);
        let fresh = Fault::Equation { what: "the blinding from two proofs" };
        Ok(if same || one.is_empty() { Ok(()) } else { Err(fresh) })
    }

    fn transplanted(&self) -> Attempt {
        let honest = self.answer(Statistic::Moments, DISTRICTS)?;
        let other = self.answer(Statistic::Moments, DISTRICTS / 2)?;
        self.judge(&honest, &Answer { proof: other.proof, ..honest.clone() })
    }

    fn median(&self) -> Attempt {
        let honest = self.answer(Statistic::Order(Rank::Quantile(MEDIAN)), DISTRICTS)?;
        let mut lie = honest.clone();
        lie.query.statistic = Statistic::Order(Rank::Quantile(FIFTH_PERCENTILE));
        self.judge(&honest, &lie)
    }

    fn unproven(&self) -> Attempt {
        // What stands before the proofs: the number of keys (4 bytes); for each key its length (4), its bytes (4) and
        // its number of rows (8); for each row a pseudonym and one commitment (32 each).
        let leaves = 4 + DISTRICTS as usize * (4 + 4 + 8) + 64 * ROWS as usize;
        let short = || Failure::input("the bundle ends before its proofs");
        let bundle = self.bundle.get(..leaves).ok_or_else(short)?;
        let header = EpochHeader { audit: audit::hash(bundle), ..self.header.clone() };
        audit::verify(&self.table, &self.header, &self.bundle, &()).map_err(Failure::input)?;
        Ok(audit::verify(&self.table, &header, bundle, &()).map(|_| ()))
    }

    fn strangers(&self) -> Attempt {
        let (own, entry) = self.lookup(0)?;
        let (other, _) = self.lookup(1)?;
        let verify =
            |shown: &Lookup| shown.verify_own(&self.table, &self.signed, &entry.row, &entry.keys);
        verify(&own).map_err(Failure::input)?;
        Ok(verify(&other))
    }

    /// Four commitments to one value: of two users, in two epochs. No two may agree.
    fn equal_values(&self) -> Attempt {
        let key = self.table.schema().encode_key(&[0]).map_err(Failure::input)?;
        let row = Row { user: b"meter".to_vec(), key: key.clone(), values: vec![10] };
        let mut seen = BTreeSet::new();
        for _ in 0..2 {
            let keys = UserKeys::generate(&mut UnwrapErr(SysRng));
            for epoch in 0..2 {
                let place = self.table.place(epoch, &key, 0);
                let leaf = Leaf::recompute(self.table.schema(), &place, &keys, &row);
                seen.extend(leaf.map_err(Failure::input)?.commitments);
            }
        }
        let told = Fault::Equation { what: "two equal values, told from their commitments" };
        Ok(if seen.len() == 4 { Err(told) } else { Ok(()) })
    }

    /// Looks everybody up under the pseudonym that whoever knows the names, and no key, can compute.
    fn guessed(&self) -> Attempt {
        let (honest, _) = self.lookup(0)?;
        honest.verify(&self.table, &self.signed).map_err(Failure::input)?;
        let no_key = UserKeys::from_bytes(&[0; UserKeys::LEN]);
        let found = self.built.entries.iter().any(|entry| {
            let guess = no_key.pseudonym(self.table.id(), 0, 0, &entry.row.user);
            Lookup::find(&self.built, self.logged(), 0, &guess).is_some()
        });
        Ok(if found { Ok(()) } else { Err(Fault::Mismatch { what: "no guessed pseudonym" }) })
    }

    fn identity(&self) -> Attempt {
        let (honest, _) = self.lookup(0)?;
        let mut lie = honest.clone();
        lie.leaf.commitments.iter_mut().for_each(|own| own.fill(0));
        honest.verify(&self.table, &self.signed).map_err(Failure::input)?;
        Ok(lie.verify(&self.table, &self.signed))
    }

    fn injected(&self) -> Attempt {
        let honest = "SELECT SUM(power) FROM meters WHERE epoch = 0";
        let plan = |text: &str| sql::plan(&self.table, 1, text);
        plan(honest).map_err(Failure::input)?;
        for more in ["; DROP TABLE meters", " OR 1 = 1", " UNION SELECT * FROM secrets", " --"] {
            let asked = plan(&format!("{honest}{more}"));
            // A comment changes nothing that is asked.
            if asked.is_ok() && asked != plan(honest) {
                return Ok(Ok(()));
            }
        }
        let reason = "a question is one SELECT, which is parsed and never pasted";
        Ok(Err(Fault::Policy { code: "subset", reason }))
    }

    fn empty_key(&self) -> Attempt {
        let honest = self.answer(Statistic::Moments, DISTRICTS)?;
        let mut lie = honest.clone();
        if let Some((_, root)) = lie.covers.first_mut().and_then(|cover| cover.keys.first_mut()) {
            root.count = 0;
        }
        self.judge(&honest, &lie)
    }

    fn hidden(&self) -> Attempt {
        let honest = self.answer(Statistic::Moments, DISTRICTS / 2)?;
        let mut lie = honest.clone();
        // Said to be about districts 0 to 6: the stub over 4 to 7, which has the label 1, gets the label 111, as if
        // district 7 alone were below it.
        if let Some(one) = lie.query.region.boxes.first_mut() {
            one.ranges = vec![(0, DISTRICTS - 2)];
        }
        // The length in bits, least byte first, then the bits.
        let label = Label::decode(&mut Reader::new(&[3, 0, 0b1110_0000]), 32);
        let side = lie.covers.first_mut().and_then(|cover| cover.cover.sides.first_mut());
        if let Some(Some(edge)) = side
            && let CoverNode::Interior(edges) = &mut edge.below
            && let [_, stub] = edges.as_mut()
        {
            stub.label = label.map_err(Failure::input)?;
        }
        self.judge(&honest, &lie)
    }
}

fn schema() -> Schema {
    Schema {
        table: "meters".to_owned(),
        types: vec![TypeColumn { name: "district".to_owned(), kind: TypeKind::U32 }],
        values: vec![ValueColumn {
            name: "power".to_owned(),
            unit: "kWh".to_owned(),
            scale: 0,
            min: 0,
            max: 1000,
            moments: 1,
            ordered: true,
            cuts: Vec::new(),
        }],
        policy: Policy {
            min_count: 2,
            extremes: true,
            quantiles: vec![MEDIAN, FIFTH_PERCENTILE],
            ..Policy::default()
        },
        order_proof: OrderProof::Bp,
        key_period: 12,
        seal_deadline: 3600,
    }
}
