//! Files damaged in every way that a file can be: each is refused by an error that names the place,
//! or says something else in its one canonical form.

mod damage;
mod points;
mod samples;
