//! Pay surveys.

mod surveyed;

mod exposure;
mod pay_survey;
mod rounds;
