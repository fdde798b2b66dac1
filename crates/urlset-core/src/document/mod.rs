//! One document judged by the rules, and the fixes that they offer.
//!
//! `lint` judges entries while a reader reads them; here the whole chain is put together: bytes go in, findings come out.

mod fix;
mod judgement;
mod terms;

pub use fix::{Fixed, Refusal, fix};
pub use judgement::Judgement;
pub use terms::Terms;
