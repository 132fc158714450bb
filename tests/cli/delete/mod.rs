//! `delete cluster`.

mod with_engine;
