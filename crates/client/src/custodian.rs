//! What other programs of a custodian do: bring rows in, seal epochs, hand out tokens.

use std::time::Duration;

use table::{Row, Table};

use crate::{
    Client, ClientError,
    api::{self, EpochInfo, LogView, RowFields, RowsAccepted, RowsRequest, Token, TokenRequest},
    error::refused,
    user::read_receipts,
};

impl Client {
    /// Brings rows of an epoch in, all or none. `key` names the batch: sent again, it is accepted once
    /// and answered in the same way. Every receipt is the operator's, for the row that it came with;
    /// that its commitments open to the row's values, the row's user checks with its keys.
    ///
    /// # Errors
    /// [`ClientError`]; rows that the schema refuses are [`ClientError::Options`], and nothing is sent.
    pub fn ingest(
        &mut self,
        epoch: u32,
        rows: Vec<RowFields>,
        key: &str,
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
        check_receipts(&table, epoch, &sent, &answer)?;
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

/// Requires one receipt of the operator for every row and ordered column, in this order.
fn check_receipts(
    table: &Table,
    epoch: u32,
    sent: &[Row],
    answer: &RowsAccepted,
) -> Result<(), ClientError> {
    let columns = table.schema().ordered().count();
    if answer.epoch != epoch || answer.receipts.len() != sent.len() * columns {
        return Err(ClientError::answer("there is not one receipt for every row and column"));
    }
    for (row, items) in sent.iter().zip(answer.receipts.chunks(columns)) {
        for (receipt, item) in read_receipts(table, items, epoch)?.iter().zip(items) {
            receipt.verify(table).map_err(refused("a receipt"))?;
            if receipt.key != row.key || item.user.as_bytes() != row.user {
                return Err(ClientError::answer("a receipt is of another row"));
            }
        }
    }
    Ok(())
}
