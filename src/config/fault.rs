//! Where a file has another shape than the schema.

use std::fmt;

use super::path::FieldPath;
use super::source::Place;

/// Something in a file that the schema has no room for. Displayed with the place and its line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A field that the schema does not have.
    #[error("unknown field `{field}`{}; {advice}\n{place}", Within(within))]
    UnknownField {
        /// Where it stands.
        place: Box<Place>,
        /// The field.
        field: String,
        /// The path of the value it is a field of.
        within: FieldPath,
        /// What to write instead.
        advice: String,
    },
    /// A field that is there twice.
    #[error("the field `{field}` is given twice{}; keep one\n{place}", Within(within))]
    DuplicateField {
        /// Where the second one stands.
        place: Box<Place>,
        /// The field.
        field: String,
        /// The path of the value it is a field of.
        within: FieldPath,
    },
    /// A word that is not among those a field can have.
    #[error("unknown value `{found}` for `{path}`; {advice}\n{place}")]
    UnknownValue {
        /// Where it stands.
        place: Box<Place>,
        /// The field's path.
        path: FieldPath,
        /// The value it has.
        found: String,
        /// What to write instead.
        advice: String,
    },
    /// A value of the wrong type.
    #[error("wrong type for `{path}`: expected {expected}, found {found}{hint}\n{place}")]
    WrongType {
        /// Where it stands.
        place: Box<Place>,
        /// The field's path.
        path: FieldPath,
        /// The type it must have.
        expected: String,
        /// What is there.
        found: String,
        /// What may have been meant, or nothing.
        hint: String,
    },
    /// Something that the YAML reader itself refuses, in its own words.
    #[error("{}cannot be read: {reason}\n{place}", Subject(path))]
    Unreadable {
        /// Where it stands.
        place: Box<Place>,
        /// The field's path.
        path: FieldPath,
        /// What the reader says.
        reason: String,
    },
}

impl Fault {
    /// Returns where it stands.
    #[must_use]
    pub const fn place(&self) -> &Place {
        match self {
            Self::UnknownField { place, .. }
            | Self::DuplicateField { place, .. }
            | Self::UnknownValue { place, .. }
            | Self::WrongType { place, .. }
            | Self::Unreadable { place, .. } => place,
        }
    }
}

/// Displays ` in ...`, or nothing for the top.
struct Within<'a>(&'a FieldPath);

impl fmt::Display for Within<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_top() {
            return Ok(());
        }
        write!(f, " in `{}`", self.0)
    }
}

/// Displays a path before what is said of it, or nothing for the top.
struct Subject<'a>(&'a FieldPath);

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_top() {
            return Ok(());
        }
        write!(f, "`{}` ", self.0)
    }
}
