//! The naive twins: each format read in the plainest way its specification allows, slowly and in one piece.
//!
//! They share no code with what they check, beyond the types in which it answers.

pub mod ffrecord;
