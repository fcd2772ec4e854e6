//! What a value has to do to be a part of a key: [`KeyPart`], and [`Slot`], which it writes itself into.

use super::{
    encode,
    values::{Target, Values},
};
use core::{
    fmt::{self, Display, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};
use sha2::{Digest, Sha256};
use smallvec::SmallVec;
use std::{borrow::Cow, rc::Rc, sync::Arc};

/// A value that can be a part of a key.
///
/// Strings, integers, addresses, and `Option`, references and smart pointers to them are. A type with [`Display`] works
/// in the attribute as it is; implement this trait where its printed form is not what should be counted, or wrap it in
/// [`ByDisplay`] where a `KeyPart` is asked for.
///
/// ```
/// use ratelimit::{KeyPart, Slot};
///
/// struct TenantId(u64);
///
/// impl KeyPart for TenantId {
///     fn write(&self, slot: Slot<'_>) {
///         slot.number(self.0);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a part of a key, key by a field of it, or write `impl ratelimit::KeyPart for {Self}`",
    label = "implements neither `Display` nor `ratelimit::KeyPart`"
)]
pub trait KeyPart {
    /// Writes the value into its slot; a slot that is dropped unwritten is a missing part.
    fn write(&self, slot: Slot<'_>);
}

/// The place of one value in a key.
#[derive(Debug)]
pub struct Slot<'a> {
    /// `None` where what is written belongs nowhere.
    place: Option<(&'a mut Values, Target)>,
}

impl<'a> Slot<'a> {
    pub(super) fn new(values: &'a mut Values, target: Target) -> Slot<'a> {
        Slot { place: Some((values, target)) }
    }

    pub(crate) fn nowhere() -> Slot<'a> {
        Slot { place: None }
    }

    /// Writes a text.
    pub fn text(self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes bytes, which need not be text.
    pub fn bytes(self, bytes: &[u8]) {
        self.with(|out| encode::value(out, bytes));
    }

    /// Writes a number.
    pub fn number(self, number: impl Into<u64>) {
        self.display(number.into());
    }

    /// Writes what `value` prints; long texts become a digest as they come, without being kept.
    pub fn display(self, value: impl Display) {
        let mut text = Text::Short(SmallVec::new());
        // Our writer does not fail; a `Display` that does has printed what it could.
        let _ = write!(text, "{value}");
        self.with(|out| match text {
            Text::Short(text) => encode::value(out, &text),
            Text::Long(hasher) => encode::digest(out, hasher),
        });
    }

    /// Writes an address; one that maps IPv4 into IPv6 is the IPv4 address.
    pub fn ip(self, address: IpAddr) {
        // Printed as it is, colons too: no label looks like a group of an address.
        self.with(|out| write_ascii(out, address.to_canonical()));
    }

    /// Writes a secret: only its digest gets into the key.
    pub fn secret(self, secret: &[u8]) {
        self.with(|out| encode::secret(out, secret));
    }

    pub(super) fn with(self, write: impl FnOnce(&mut SmallVec<[u8; 64]>)) {
        let Some((values, target)) = self.place else { return };
        let start = values.bytes.len();
        write(&mut values.bytes);
        let end = values.bytes.len();
        values.place(target, start..end);
    }
}

/// Appends what `value` prints.
pub(super) fn write_ascii<A: smallvec::Array<Item = u8>>(out: &mut SmallVec<A>, value: impl Display) {
    struct Append<'a, A: smallvec::Array<Item = u8>>(&'a mut SmallVec<A>);
    impl<A: smallvec::Array<Item = u8>> fmt::Write for Append<'_, A> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
    let _ = write!(Append(out), "{value}");
}

/// A printed value: kept while it is short, hashed as it comes once it is long.
enum Text {
    Short(SmallVec<[u8; encode::LONGEST]>),
    Long(Sha256),
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self {
            Text::Short(short) if short.len() + text.len() <= encode::LONGEST => {
                short.extend_from_slice(text.as_bytes());
            }
            Text::Short(short) => *self = Text::Long(Sha256::new_with_prefix(short).chain_update(text)),
            Text::Long(hasher) => hasher.update(text),
        }
        Ok(())
    }
}

/// Makes a part of a key of what a value prints.
#[derive(Clone, Copy, Debug)]
pub struct ByDisplay<T>(pub T);

impl<T: Display> KeyPart for ByDisplay<T> {
    fn write(&self, slot: Slot<'_>) {
        slot.display(&self.0);
    }
}

impl KeyPart for str {
    fn write(&self, slot: Slot<'_>) {
        slot.text(self);
    }
}

impl KeyPart for String {
    fn write(&self, slot: Slot<'_>) {
        slot.text(self);
    }
}

impl KeyPart for [u8] {
    fn write(&self, slot: Slot<'_>) {
        slot.bytes(self);
    }
}

impl<T: KeyPart + ToOwned + ?Sized> KeyPart for Cow<'_, T> {
    fn write(&self, slot: Slot<'_>) {
        self.as_ref().write(slot);
    }
}

/// A missing value is a missing part.
impl<T: KeyPart> KeyPart for Option<T> {
    fn write(&self, slot: Slot<'_>) {
        if let Some(value) = self {
            value.write(slot);
        }
    }
}

macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl<T: KeyPart + ?Sized> KeyPart for $pointer {
            fn write(&self, slot: Slot<'_>) {
                (**self).write(slot);
            }
        }
    )*};
}
pointers!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

macro_rules! printed {
    ($($number:ty),*) => {$(
        impl KeyPart for $number {
            fn write(&self, slot: Slot<'_>) {
                slot.display(self);
            }
        }
    )*};
}
printed!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, bool, char);

macro_rules! addresses {
    ($($address:ty),*) => {$(
        impl KeyPart for $address {
            fn write(&self, slot: Slot<'_>) {
                slot.ip(IpAddr::from(*self));
            }
        }
    )*};
}
addresses!(IpAddr, Ipv4Addr, Ipv6Addr);

/// Finds how a value becomes a part: [`KeyPart`] first, else [`Display`], else the error that says so.
///
/// Method lookup takes the impl with the most references first, and these three differ in them.
#[derive(Debug)]
pub struct Part<'a, T: ?Sized>(pub &'a T);

#[doc(hidden)]
pub trait ViaKeyPart {
    #[doc(hidden)]
    fn __ratelimit_part(&self, slot: Slot<'_>);
}

impl<T: KeyPart + ?Sized> ViaKeyPart for &&Part<'_, T> {
    fn __ratelimit_part(&self, slot: Slot<'_>) {
        self.0.write(slot);
    }
}

#[doc(hidden)]
pub trait ViaDisplay {
    #[doc(hidden)]
    fn __ratelimit_part(&self, slot: Slot<'_>);
}

impl<T: Display + ?Sized> ViaDisplay for &Part<'_, T> {
    fn __ratelimit_part(&self, slot: Slot<'_>) {
        slot.display(self.0);
    }
}

/// Only there to fail, with the sentence of [`KeyPart`].
#[doc(hidden)]
pub trait ViaNothing<T: ?Sized> {
    #[doc(hidden)]
    fn __ratelimit_part(&self, slot: Slot<'_>)
    where
        T: KeyPart;
}

impl<T: ?Sized> ViaNothing<T> for Part<'_, T> {
    fn __ratelimit_part(&self, slot: Slot<'_>)
    where
        T: KeyPart,
    {
        self.0.write(slot);
    }
}
