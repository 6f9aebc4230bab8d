//! The custodian's side of a run: the store, the sealing of all years, answers.

use std::{collections::BTreeMap, ops::RangeInclusive, path::Path};

use board::Identity;
use claim::BundleWriter;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use study::survey::{Cell, Publisher, Responses, SurveyDescription};
use table::{
    BuiltEpoch, Genesis, PublicKey, Row,
    claims::TableWriter,
    log::SignedCheckpoint,
    store::{Custodian, CustodyError, EpochState, MasterKey, RedbStore},
};
use wire::Progress;
use zeroize::Zeroizing;

use super::Published;
use crate::{failure::Failure, progress::Bars};

/// The bytes of a master key.
const MASTER_LEN: u64 = 32;

/// The years of a survey, each an epoch.
pub fn years(responses: &Responses) -> Result<RangeInclusive<u32>, Failure> {
    let ends = responses.keys().next().zip(responses.keys().next_back());
    let (first, last) = ends.ok_or_else(|| Failure::input("there are no responses"))?;
    Ok(*first..=*last)
}

/// A custodian at work.
pub struct Custody {
    custodian: Custodian<RedbStore>,
    years: RangeInclusive<u32>,
}

fn failed(error: CustodyError) -> Failure {
    Failure::input(error)
}

impl Custody {
    /// Opens the store of this survey, or begins it.
    pub fn open(
        (store, master): (&Path, &Path),
        description: &SurveyDescription,
        years: RangeInclusive<u32>,
        (operator, auditor): (&Identity, &Identity),
    ) -> Result<Self, Failure> {
        let rng = &mut UnwrapErr(SysRng);
        let genesis = Genesis {
            schema: description.table.clone(),
            first_epoch: *years.start(),
            operator: PublicKey::of(operator),
            witnesses: Vec::new(),
            quorum: 0,
            dishonest: 0,
            auditors: vec![PublicKey::of(auditor)],
            nonce: Genesis::draw_nonce(rng),
            continues: None,
        };
        if !master.exists() {
            let key = MasterKey::generate(rng);
            wire::write_secret(master, &*key.to_bytes())
                .map_err(|error| Failure::file(master, error))?;
        }
        let database = RedbStore::open(store).map_err(|error| Failure::file(store, error))?;
        // A run that was stopped between the key and the table has an empty store.
        match Custodian::create(&database, load(master)?, genesis.clone(), rng).map(drop) {
            Ok(()) | Err(CustodyError::Occupied) => {}
            Err(error) => return Err(failed(error)),
        }
        let custodian = Custodian::open(database, load(master)?).map_err(failed)?;
        let known = custodian.table().genesis();
        if (Genesis { nonce: known.nonce, ..genesis }) != *known {
            return Err(Failure::file(store, "the folder holds another survey")
                .hint("choose another folder with --out, or remove this one"));
        }
        Ok(Self { custodian, years })
    }

    /// Whether exactly the years of the responses are sealed.
    pub fn is_sealed(&self) -> Result<bool, Failure> {
        let sealed = self.custodian.digests().map_err(failed)?.len();
        Ok(sealed == self.years.clone().count())
    }

    /// The custodian.
    pub fn custodian(&self) -> &Custodian<RedbStore> {
        &self.custodian
    }

    /// Takes all responses in and seals all years, going on where an earlier run stopped: the
    /// checkpoint over all of them.
    pub fn seal(
        &self,
        responses: &Responses,
        operator: &Identity,
        published: &Published,
    ) -> Result<SignedCheckpoint, Failure> {
        let (custodian, rng) = (&self.custodian, &mut UnwrapErr(SysRng));
        published.put_genesis(custodian.table())?;
        for year in self.years.clone() {
            let rows = responses.get(&year).map_or(&[][..], Vec::as_slice);
            if custodian.state(year).map_err(failed)? == EpochState::Open {
                custodian.ingest(year, rows, rng).map_err(failed)?;
            }
            let bars = Bars::new();
            custodian.seal_epoch(year, operator, &bars).map_err(failed)?;
            bars.finish();
            let (header, bundle) = (custodian.header(year), custodian.bundle(year));
            published.put_epoch(&header.map_err(failed)?, &bundle.map_err(failed)?)?;
        }
        if !self.is_sealed()? {
            return Err(Failure::input(
                "the responses of some years that were already sealed are missing",
            )
            .hint("choose another folder with --out, or put the old responses back"));
        }
        let size = self.years.clone().count() as u64;
        let signed = custodian.checkpoint(size).map_err(failed)?;
        published.put_checkpoint(&signed)?;
        Ok(signed)
    }

    /// Answers all queries of the survey, with the auditor's word, and writes their claims and the
    /// audits into a bundle.
    pub fn publish(
        &self,
        description: &SurveyDescription,
        (responses, published): (&Responses, &Published),
        signed: &SignedCheckpoint,
        bundle: &Path,
    ) -> Result<Vec<Cell>, Failure> {
        let (custodian, rng) = (&self.custodian, &mut UnwrapErr(SysRng));
        let table = custodian.table();
        let mut writer = BundleWriter::create(bundle).map_err(Failure::input)?;
        let mut claims = TableWriter::new(&mut writer, table, signed).map_err(Failure::input)?;
        let publisher = Publisher { description, table, signed };
        let (mut cells, bars) = (Vec::new(), Bars::new());
        bars.begin("answers", self.years.clone().count() as u64);
        for year in self.years.clone() {
            let attestation = published.attestation(year)?;
            custodian.attest(&attestation).map_err(|error| {
                Failure::refused(format!("the auditor's attestation of {year}: {error}"))
            })?;
            let built = custodian.load(year).map_err(failed)?;
            unchanged(&built, responses.get(&year).map_or(&[], Vec::as_slice))?;
            let logged = custodian.logged(year, signed.checkpoint.size).map_err(failed)?;
            let attestations = custodian.attestations(year).map_err(failed)?;
            let answered = publisher.publish(&mut claims, (logged, &built), attestations, rng);
            cells.extend(answered.map_err(Failure::input)?);
            let audit = custodian.bundle(year).map_err(failed)?;
            let header = custodian.header(year).map_err(failed)?;
            claims.audit(&header, &audit, &()).map_err(Failure::input)?;
            bars.advance(1);
        }
        bars.finish();
        writer.finish().map_err(Failure::input)?;
        Ok(cells)
    }
}

/// Refuses responses that are not those of the sealed year: the past cannot be changed.
fn unchanged(built: &BuiltEpoch, rows: &[Row]) -> Result<(), Failure> {
    let by_user = |rows: &mut dyn Iterator<Item = &Row>| -> BTreeMap<Vec<u8>, Row> {
        rows.map(|row| (row.user.clone(), row.clone())).collect()
    };
    let sealed = by_user(&mut built.entries.iter().map(|entry| &entry.row));
    match sealed == by_user(&mut rows.iter()) {
        true => Ok(()),
        false => {
            let year = built.core.epoch;
            Err(Failure::input(format!(
                "the responses of {year} have changed since they were sealed"
            ))
            .hint("choose another folder with --out, or put the old responses back"))
        }
    }
}

fn load(path: &Path) -> Result<MasterKey, Failure> {
    let bytes = wire::read_bounded(path, MASTER_LEN).map(Zeroizing::new);
    let bytes = bytes.map_err(|error| Failure::file(path, error))?;
    let key = bytes.as_slice().try_into().map(MasterKey::from_bytes);
    key.map_err(|_| Failure::file(path, "not a master key of 32 bytes"))
}
