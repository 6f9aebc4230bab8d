//! Transparent tables and pay surveys on the command line.

mod disputes;
mod hierarchy;
mod histories;
mod killed;
mod recorded;
mod restored;
mod rollups;
mod served;
#[cfg(feature = "sql")]
mod sql;
mod survey;
mod table;
mod witnesses;
