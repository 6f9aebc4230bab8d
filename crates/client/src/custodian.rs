//! What other programs of a custodian do: bring rows in, seal epochs, hand out tokens.

use std::{collections::BTreeSet, time::Duration};

use table::{Fault, Row, Table};

use crate::{
    Client, ClientError,
    api::{
        self, EpochInfo, LogView, RevokeRequest, Revoked, RowFields, RowsAccepted, RowsRequest,
        Token, TokenRequest,
    },
    error::refused,
    user::read_receipts,
};

impl Client {
    /// Brings rows of an epoch in, all or none. `key` names the batch: sent again, it is accepted once
    /// and answered in the same way. Every receipt is the operator's, for the row that it came with and
    /// for no other, and promises no later day than the schema; `now` is in seconds since 1970. That its
    /// commitments open to the row's values, the row's user checks with its keys.
    ///
    /// # Errors
    /// [`ClientError`]; rows that the schema refuses are [`ClientError::Options`], and nothing is sent.
    pub fn ingest(
        &mut self,
        epoch: u32,
        rows: Vec<RowFields>,
        key: &str,
        now: u64,
    ) -> Result<RowsAccepted, ClientError> {
        let schema = self.table().schema();
        let read = |(index, fields)| {
            let reason = |reason| ClientError::Options(format!("row {index}: {reason}"));
            api::row_of(schema, fields).map_err(reason)
        };
        let sent: Vec<Row> = rows.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        let request = RowsRequest { epoch, rows };
        let answer: RowsAccepted =
            self.connection.post("/rows", &request, &[("idempotency-key", key)])?;
        let table = self.newest_table()?;
        check_receipts(&table, epoch, &sent, &answer, now)?;
        Ok(answer)
    }

    /// Asks for an epoch to be sealed, and waits until it is sealed, or in the log and to be cosigned.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Answer`] with the operator's reason if sealing fails.
    pub fn seal(&mut self, epoch: u32, step: Duration) -> Result<EpochInfo, ClientError> {
        let path = format!("/epochs/{epoch}/seal");
        let mut info: EpochInfo = self.connection.post(&path, &(), &[])?;
        while info.sealing {
            std::thread::sleep(step);
            info = self.epoch(epoch)?;
        }
        match (info.state.as_str(), &info.failure) {
            ("sealed" | "logged", _) => Ok(info),
            (_, Some(failure)) => Err(ClientError::Answer(format!("sealing failed: {failure}"))),
            (state, None) => Err(ClientError::Answer(format!("the epoch is {state}"))),
        }
    }

    /// Makes a token for a user.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn token(&self, user: &str, seconds: u32) -> Result<Token, ClientError> {
        self.connection.post("/tokens", &TokenRequest { user: user.to_owned(), seconds }, &[])
    }

    /// Voids all tokens that a user has.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn revoke(&self, user: &str) -> Result<Revoked, ClientError> {
        self.connection.post("/tokens/revoke", &RevokeRequest { user: user.to_owned() }, &[])
    }

    /// The table with the changes of the operator's key that its newest log records; as the genesis has
    /// it, while there is none.
    pub(crate) fn newest_table(&mut self) -> Result<Table, ClientError> {
        match self.connection.get::<LogView>("/log") {
            Ok(view) => Ok(self.verify_log(&view)?.table),
            Err(error) if error.reason() == Some("log") && self.seen().is_none() => {
                Ok(self.table().clone())
            }
            Err(error) => Err(error),
        }
    }
}

/// Requires one receipt of the operator for every row and ordered column, in this order. In a column no
/// pseudonym is there twice, or one receipt would stand for two rows of a key.
fn check_receipts(
    table: &Table,
    epoch: u32,
    sent: &[Row],
    answer: &RowsAccepted,
    now: u64,
) -> Result<(), ClientError> {
    let columns = table.schema().ordered().count();
    if answer.epoch != epoch || answer.receipts.len() != sent.len() * columns {
        return Err(ClientError::answer("there is not one receipt for every row and column"));
    }
    let mut pseudonyms = BTreeSet::new();
    for (row, items) in sent.iter().zip(answer.receipts.chunks(columns)) {
        for (receipt, item) in read_receipts(table, items, epoch)?.iter().zip(items) {
            receipt
                .verify(table)
                .and_then(|()| receipt.in_time(table, now))
                .map_err(refused("a receipt"))?;
            if receipt.key != row.key || item.user.as_bytes() != row.user {
                return Err(ClientError::answer("a receipt is of another row"));
            }
            if !pseudonyms.insert((receipt.column, receipt.pseudonym)) {
                let fault = Fault::Duplicate { what: "a pseudonym of a column" };
                return Err(ClientError::Refused { what: "a receipt", fault });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        reason = "a fault here is a failed test"
    )]
    use board::Identity;
    use data_encoding::BASE64;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng as _;
    use table::{
        Genesis, PublicKey, Schema, UserKeys,
        log::{CLOCK_SKEW, Receipt},
    };
    use wire::{Decode as _, Encode as _};

    use super::*;
    use crate::api::ReceiptItem;

    const NOW: u64 = 1_790_000_000;
    const DAY: u64 = 86_400;
    const COLUMNS: usize = 2;

    /// A table with two ordered columns, rows of one key, and an honest answer about them.
    fn answered() -> (Table, Identity, Vec<Row>, RowsAccepted) {
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        let operator = Identity::generate(rng);
        let schema: Schema = serde_json::from_value(serde_json::json!({
            "table": "pay", "key_period": 1, "seal_deadline": DAY, "policy": { "min_count": 1 },
            "types": [{ "name": "senior", "kind": "bool" }],
            "values": [{ "name": "wage", "min": 0, "max": 255, "ordered": true },
                { "name": "hours", "min": 0, "max": 255, "ordered": true }],
        }))
        .unwrap();
        let genesis = Genesis {
            schema,
            first_epoch: 1,
            operator: PublicKey::of(&operator),
            witnesses: vec![],
            quorum: 0,
            dishonest: 0,
            auditors: vec![],
            nonce: Genesis::draw_nonce(rng),
            continues: None,
        };
        let table = Table::new(genesis).unwrap();
        let key = table.schema().encode_key(&[1]).unwrap();
        let row = |user: &[u8]| Row { user: user.to_vec(), key: key.clone(), values: vec![7, 7] };
        let rows = [row(b"ada"), row(b"bob")];
        let mut receipts = Vec::new();
        for (row, keys) in rows.iter().zip([[1; UserKeys::LEN], [2; UserKeys::LEN]]) {
            let keys = UserKeys::from_bytes(&keys);
            for column in table.schema().ordered() {
                let promise = (0, NOW + DAY);
                let signed =
                    Receipt::sign(&operator, &table, (1, column), (row, &keys), promise).unwrap();
                receipts.push(ReceiptItem {
                    user: String::from_utf8(row.user.clone()).unwrap(),
                    column: column.to_string(),
                    receipt: BASE64.encode(&signed.to_bytes()),
                });
            }
        }
        (table, operator, rows.to_vec(), RowsAccepted { epoch: 1, rows: 2, receipts })
    }

    #[test]
    fn every_row_has_receipts_of_its_own() {
        let (table, _, rows, answer) = answered();
        let check = |answer: &RowsAccepted| check_receipts(&table, 1, &rows, answer, NOW);
        assert!(check(&answer).is_ok());
        // The first row's receipts, under the second row's name: they have one key.
        let mut twice = answer.clone();
        for column in 0..COLUMNS {
            twice.receipts[COLUMNS + column].receipt = answer.receipts[column].receipt.clone();
        }
        let fault = Fault::Duplicate { what: "a pseudonym of a column" };
        let refused = check(&twice).unwrap_err();
        assert!(matches!(&refused, ClientError::Refused { fault: f, .. } if *f == fault));
        let mut less = answer.clone();
        less.receipts.truncate(COLUMNS);
        assert!(check(&less).is_err());
        let mut renamed = answer.clone();
        renamed.receipts[0].user = "bob".to_owned();
        assert!(check(&renamed).is_err());
        let mut swapped = answer;
        swapped.receipts.swap(0, 1);
        assert!(check(&swapped).is_err(), "columns have their order");
    }

    #[test]
    fn no_receipt_promises_a_later_day_than_the_schema() {
        let (table, operator, rows, answer) = answered();
        let check = |answer: &RowsAccepted, now| check_receipts(&table, 1, &rows, answer, now);
        assert!(check(&answer, NOW - CLOCK_SKEW).is_ok());
        let fault = Fault::Bounds { what: "the deadline of the receipt" };
        let late = check(&answer, NOW - CLOCK_SKEW - 1).unwrap_err();
        assert!(matches!(&late, ClientError::Refused { fault: f, .. } if *f == fault));
        // The operator signs for a day that never comes.
        let bytes = BASE64.decode(answer.receipts[3].receipt.as_bytes()).unwrap();
        assert_eq!(Receipt::from_bytes(&bytes).unwrap().deadline, NOW + DAY);
        let keys = UserKeys::from_bytes(&[2; UserKeys::LEN]);
        let never = (0, u64::MAX);
        let signed = Receipt::sign(&operator, &table, (1, 1), (&rows[1], &keys), never).unwrap();
        assert_eq!(signed.verify(&table), Ok(()));
        let mut answer = answer;
        answer.receipts[3].receipt = BASE64.encode(&signed.to_bytes());
        assert!(check(&answer, NOW).unwrap_err().is_false());
    }
}
