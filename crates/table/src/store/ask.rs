//! Questions, from their text to answers that may be shown: planned, held to the budget, proved, and noted for
//! good, refused ones too.

use super::{Custodian, CustodyError, Question, Store};
use crate::{
    Fault, is_of_policy,
    query::Answer,
    sql::{self, Planned, SqlError},
};

/// A question, by whom, and when.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// In SQL.
    pub text: &'a str,
    /// By the name that the operator knows; `None` for whoever has the folder.
    pub asker: Option<&'a str>,
    /// In seconds since 1970, by the operator's clock.
    pub time: u64,
}

/// Why a question is not answered; `E` is why it was not proved.
#[derive(Debug)]
pub enum AskError<E> {
    /// It is not understood, or the policy refuses it.
    Sql(SqlError),
    /// The store fails, the budget is spent, or the policy refuses it now that rows are counted.
    Custody(CustodyError),
    /// It could not be proved.
    Proving(E),
}

impl<E> From<CustodyError> for AskError<E> {
    fn from(error: CustodyError) -> Self {
        Self::Custody(error)
    }
}

impl<E> From<Fault> for AskError<E> {
    fn from(fault: Fault) -> Self {
        Self::Custody(fault.into())
    }
}

impl<E> AskError<E> {
    /// The rule by which the policy refuses, if it does.
    fn refusal(&self) -> Option<&'static str> {
        let code = match self {
            Self::Sql(SqlError { code, .. }) => code,
            Self::Custody(CustodyError::Fault(Fault::Policy { code, .. })) => code,
            Self::Custody(CustodyError::Fault(Fault::Hierarchy { .. })) => "hierarchy",
            Self::Custody(CustodyError::Budget { .. }) => return Some("budget"),
            _ => return None,
        };
        is_of_policy(code).then_some(code)
    }
}

/// What a question asks for, and the answers, in its order.
pub type Answered = (Vec<Planned>, Vec<Answer>);

impl<S: Store> Custodian<S> {
    /// Answers a question about the newest log that may be shown. `prove` makes the answers from epochs that
    /// its caller keeps in memory; nobody else sees them before the question is noted. What the policy
    /// refuses is noted, too: who tries what is not allowed is seen by whoever reads the log of questions.
    ///
    /// # Errors
    /// [`AskError`]; a refusal that cannot be noted is an error of the store.
    pub fn ask<E>(
        &self,
        asking: &Asking<'_>,
        prove: impl FnOnce(&[Planned]) -> Result<Vec<Answer>, AskError<E>>,
    ) -> Result<Answered, AskError<E>> {
        let answered = self.plan_and_prove(asking, prove);
        let (answers, refused) = match &answered {
            Ok((_, answers)) => (answers.len() as u32, None),
            Err(error) => match error.refusal() {
                Some(code) => (0, Some(code.to_owned())),
                None => return answered,
            },
        };
        let asker = asking.asker.map(str::to_owned);
        let (time, text) = (asking.time, asking.text.to_owned());
        // Of two questions at once, the budget may have room for one.
        self.note_question(&Question { time, text, asker, answers, refused })?;
        answered
    }

    fn plan_and_prove<E>(
        &self,
        asking: &Asking<'_>,
        prove: impl FnOnce(&[Planned]) -> Result<Vec<Answer>, AskError<E>>,
    ) -> Result<Answered, AskError<E>> {
        let plan =
            sql::plan(self.table(), self.served_size()?, asking.text).map_err(AskError::Sql)?;
        // A spent budget is not worth a proof.
        let asker = asking.asker.map(str::to_owned);
        self.check_budget(asking.time, (&asker, plan.len() as u64))?;
        let answers = prove(&plan)?;
        Ok((plan, answers))
    }
}
