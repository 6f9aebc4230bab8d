//! Questions.

use std::path::Path;

use claim::{Bundle, BundleWriter};
use serde_json::{Map, Value};
use table::{
    claims::TableWriter,
    query::{self, Answer, Verified},
    sql,
};

use crate::{
    Client, ClientError,
    api::{QueryAnswer, QueryRequest},
    error::refused,
    log::{VerifiedLog, decode},
};

/// An answer that was verified.
pub struct VerifiedAnswer {
    /// What it says, a row for each group: computed from the proofs, whatever the server said.
    pub rows: Vec<Map<String, Value>>,
    /// What each proof shows, and on whose word its premises rest.
    pub verified: Vec<Verified>,
    answers: Vec<Answer>,
    log: VerifiedLog,
}

impl Client {
    /// Asks a question in SQL. The client plans it itself, so that the proofs are those of its question.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn query(&mut self, sql: &str) -> Result<VerifiedAnswer, ClientError> {
        let request = QueryRequest { sql: sql.to_owned() };
        let answer: QueryAnswer = self.connection.post("/query", &request, &[])?;
        let log = self.verify_log(&answer.log)?;
        let (table, signed) = (&log.table, &log.signed);
        let plan = sql::plan(table, signed.checkpoint.size, sql).map_err(|error| {
            ClientError::answer(format!("it answers what may not be asked: {error}"))
        })?;
        let answers: Vec<Answer> =
            answer.answers.iter().map(|text| decode(text)).collect::<Result<_, _>>()?;
        let asked = plan.iter().map(|planned| &planned.query);
        if !asked.eq(answers.iter().map(|answer| &answer.query)) {
            return Err(ClientError::answer("it answers another question"));
        }
        let auditors = &table.genesis().auditors;
        let verify = |answer| query::verify(table, signed, answer, auditors);
        let verified = answers.iter().map(verify).collect::<Result<_, _>>();
        let verified = verified.map_err(refused("the answer"))?;
        let rows = sql::shown(table.schema(), &plan, &answers);
        Ok(VerifiedAnswer { rows, verified, answers, log })
    }
}

impl VerifiedAnswer {
    /// Writes the answer as a bundle, which anybody verifies offline.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn write(&self, directory: &Path) -> Result<Bundle, ClientError> {
        let mut writer = BundleWriter::create(directory)?;
        let mut tables = self.log.writer(&mut writer)?;
        for (number, answer) in self.answers.iter().enumerate() {
            tables.answer(&format!("answer-{number}"), answer)?;
        }
        Ok(writer.finish()?)
    }
}

impl VerifiedLog {
    /// The log as the base of claims.
    pub(crate) fn writer<'a>(
        &'a self,
        writer: &'a mut BundleWriter,
    ) -> Result<TableWriter<'a>, ClientError> {
        let tables = TableWriter::new(writer, &self.table, &self.signed)?;
        Ok(tables.with_rotations(&self.rotations)?)
    }
}
