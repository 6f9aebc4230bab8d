//! A table answers a question about its rows, and anybody verifies the answer: `cargo run -p subrosa-table --example answer`
use std::error::Error;

use board::Identity;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use table::{
    query::{Outcome, Query, Region, Source, Statistic, Summary},
    *,
};

const SCHEMA: &str = r#"
    table = "energy"
    key_period = 12
    seal_deadline = 86400
    types = [{ name = "district", kind = "u32" }]
    values = [{ name = "power", unit = "kWh", min = 0, max = 1000, ordered = true }]
    policy = { min_count = 2 }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let rng = &mut UnwrapErr(SysRng);
    let (operator, secrets) = (Identity::generate(rng), TableKeys::generate(rng));
    let table = Table::new(Genesis {
        schema: toml::from_str(SCHEMA)?,
        first_epoch: 1,
        operator: PublicKey::of(&operator),
        witnesses: vec![],
        quorum: 0,
        dishonest: 0,
        auditors: vec![],
        nonce: Genesis::draw_nonce(rng),
        continues: None,
    })?;

    // Three meters of district 5, in one epoch, which goes into the signed log.
    let key = table.schema().encode_key(&[5])?;
    let entries = [310, 120, 250].map(|power| Entry {
        row: Row { user: format!("meter {power}").into(), key: key.clone(), values: vec![power] },
        keys: UserKeys::generate(rng),
    });
    let built = BuiltEpoch::build(&table, &secrets, 1, entries.to_vec(), &[], *table.id())?;
    let bundle = audit::prove(&table, &secrets, &built, &())?;
    let header = EpochHeader { core: built.core.clone(), audit: audit::hash(&bundle) };
    let signed = log::Checkpoint::of(&table, &[header.digest(table.id())]).sign(&operator);
    let sources =
        [Source { logged: log::LoggedEpoch { header, inclusion: vec![] }, built: &built }];

    // The sum, with its proof, verified against the checkpoint alone.
    let region = Region::all(table.schema(), 1, 1);
    let query = Query { column: 0, region, statistic: Statistic::Moments };
    let answer = query::answer(&table, &signed.checkpoint, query, &sources, vec![], rng)?;
    let verified = query::verify(&table, &signed, &answer, &[])?;
    if let (Outcome::Moments(moments), [power]) = (verified.outcome, &table.schema().values[..]) {
        println!("{} kWh", Summary::of(power, &moments).sum.to_decimal(0));
    }
    Ok(())
}
