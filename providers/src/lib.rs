//! Container engines behind one trait.
