//! A deserializer that leaves out what is known to be wrong, so that reading goes on to the next fault.
//!
//! Entries of maps are skipped; elements of lists become empty ones, so that the others keep their positions.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};

use super::path::FieldPath;

/// Wraps a deserializer, an access to a collection, a visitor or a seed, at its place in the configuration.
pub(super) struct Pruned<'a, T> {
    inner: T,
    path: FieldPath,
    wrong: &'a [FieldPath],
    index: usize,
}

impl<'a, T> Pruned<'a, T> {
    /// Leaves out the values at these paths.
    pub(super) const fn new(inner: T, path: FieldPath, wrong: &'a [FieldPath]) -> Self {
        Self {
            inner,
            path,
            wrong,
            index: 0,
        }
    }
}

macro_rules! forward_deserialize {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = Pruned::new(visitor, self.path, self.wrong);
            self.inner.$method($($name,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Pruned<'_, D> {
    type Error = D::Error;

    forward_deserialize! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! forward_visit {
    ($($method:ident($type:ty);)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Pruned<'_, V> {
    type Value = V::Value;

    forward_visit! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Pruned::new(inner, self.path, self.wrong))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner
            .visit_newtype_struct(Pruned::new(inner, self.path, self.wrong))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Pruned::new(inner, self.path, self.wrong))
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let access = Entries {
            at: None,
            entries: Pruned::new(inner, self.path, self.wrong),
        };
        self.inner.visit_map(access)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(inner)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Pruned<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Pruned::new(inner, self.path, self.wrong))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Pruned<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let path = self.path.index(self.index);
        self.index += 1;
        if !self.wrong.contains(&path) {
            let seed = Pruned::new(seed, path, self.wrong);
            return self.inner.next_element_seed(seed);
        }
        match self.inner.next_element::<IgnoredAny>()? {
            Some(IgnoredAny) => seed.deserialize(Blank(PhantomData)).map(Some),
            None => Ok(None),
        }
    }
}

/// The entries of a map.
struct Entries<'a, A> {
    at: Option<FieldPath>,
    entries: Pruned<'a, A>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        while let Some(key) = self.entries.inner.next_key::<String>()? {
            let path = self.entries.path.entry(&key);
            if self.entries.wrong.contains(&path) {
                self.entries.inner.next_value::<IgnoredAny>()?;
                continue;
            }
            self.at = Some(path);
            return seed.deserialize(key.into_deserializer()).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let path = self.at.take().unwrap_or_default();
        let seed = Pruned::new(seed, path, self.entries.wrong);
        self.entries.inner.next_value_seed(seed)
    }
}

/// What stands in for an element that is wrong: empty, whatever is asked for.
struct Blank<E>(PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Blank<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_str("")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_none()
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_seq(SeqDeserializer::<std::iter::Empty<()>, E>::new(std::iter::empty()))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_map(MapDeserializer::<std::iter::Empty<((), ())>, E>::new(
            std::iter::empty(),
        ))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        self.deserialize_map(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct enum identifier ignored_any
    }
}
