//! Elections, mixes and traces on the command line.

// First by its name: it waits for its clock while others compute.
mod by_clock;
mod by_hand;
mod classes;
mod election;
mod end_to_end;
mod inquiry;
mod keeper;
mod killed;
mod mix;
mod sealed;
mod stage;
mod tflsz_election;
mod trace;
mod trace_db;
mod trace_tls;
mod voters;
