//! The values in a message, and invalid replacements of each.

use std::{collections::BTreeSet, fmt};

use bridgemaster_games::ChanceStream;
use prost_reflect::{DynamicMessage, FieldDescriptor, OneofDescriptor, ReflectMessage as _, Value};

use crate::descriptors;

/// The path from a message to a value in it: fields, and list indices.
type Steps = Vec<(FieldDescriptor, Option<usize>)>;

/// A value in a message that can be broken.
#[derive(Clone)]
pub(super) struct Place {
    steps: Steps,
    /// The path in the notation of errors.
    pub(super) path: String,
}

impl Place {
    /// The message in a field of another one, which is not broken itself.
    pub(super) fn top(field: FieldDescriptor) -> Self {
        Self { path: field.name().to_owned(), steps: vec![(field, None)] }
    }

    fn field(&self) -> &FieldDescriptor {
        &self.steps.last().unwrap().0
    }

    /// The kind of the value, wherever it occurs: a field, or the items of its list.
    pub(super) fn kind(&self) -> String {
        let (field, item) = self.steps.last().unwrap();
        let of_item = if item.is_some() { "[]" } else { "" };
        format!("{}{of_item}", field.full_name())
    }

    fn below(&self, field: &FieldDescriptor) -> Self {
        let mut steps = self.steps.clone();
        steps.push((field.clone(), None));
        let path = format!("{}.{}", self.path, field.name());
        Self { steps, path }
    }

    fn item(&self, place: usize) -> Self {
        let mut steps = self.steps.clone();
        steps.last_mut().unwrap().1 = Some(place);
        let path = format!("{}[{place}]", self.path);
        Self { steps, path }
    }

    fn value<'a>(&self, message: &'a mut DynamicMessage) -> &'a mut Value {
        fn below<'a>(message: &'a mut DynamicMessage, steps: &Steps, i: usize) -> &'a mut Value {
            let (field, item) = &steps[i];
            let mut value = message.get_field_mut(field);
            if let Some(place) = item {
                value = &mut value.as_list_mut().unwrap()[*place];
            }
            if i + 1 == steps.len() {
                value
            } else {
                below(value.as_message_mut().unwrap(), steps, i + 1)
            }
        }
        below(message, &self.steps, 0)
    }

    /// Clears the field.
    fn clear(&self, message: &mut DynamicMessage) {
        let (last, around) = self.steps.split_last().unwrap();
        let around = Self { steps: around.to_vec(), path: String::new() };
        let around = if around.steps.is_empty() {
            message
        } else {
            around.value(message).as_message_mut().unwrap()
        };
        around.clear_field(&last.0);
    }
}

/// The expected result of reading a broken message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expectation {
    /// An error with this path, or that of its list.
    Refused(String),
    /// An error whose path is that of the field, a prefix or extension of it, or another item of
    /// its list; or a value that survives the wire.
    RefusedOrRead(String),
}

/// A message with one broken value.
pub(super) struct Broken {
    pub(super) message: DynamicMessage,
    /// The path of the broken value.
    pub(super) path: String,
    /// A description of the change.
    pub(super) how: String,
    pub(super) expected: Expectation,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.how)
    }
}

/// Collects all values in a message, but from each list only the first and the last item.
pub(super) fn places(message: &DynamicMessage, above: &Place, found: &mut Vec<Place>) {
    for field in message.descriptor().fields() {
        if oneof_of(&field).is_some() && !message.has_field(&field) {
            continue;
        }
        let place = above.below(&field);
        found.push(place.clone());
        let value = message.get_field(&field);
        match &*value {
            Value::List(items) => {
                let ends = BTreeSet::from([0, items.len().saturating_sub(1)]);
                for (i, item) in ends.iter().filter_map(|&i| Some((i, items.get(i)?))) {
                    match item.as_message() {
                        Some(message) => places(message, &place.item(i), found),
                        None => found.push(place.item(i)),
                    }
                }
            }
            Value::Message(inside) if message.has_field(&field) => places(inside, &place, found),
            _ => {}
        }
    }
}

/// Chooses a value in a message.
pub(super) fn random_place(
    message: &DynamicMessage,
    above: Place,
    chance: &mut ChanceStream,
) -> Place {
    let descriptor = message.descriptor();
    let is_there = |field: &FieldDescriptor| oneof_of(field).is_none() || message.has_field(field);
    let fields: Vec<FieldDescriptor> = descriptor.fields().filter(is_there).collect();
    if fields.is_empty() {
        return above;
    }
    let field = &fields[chance.below(fields.len() as u32) as usize];
    let mut place = above.below(field);
    let value = message.get_field(field);
    let mut inside = value.as_message().filter(|_| message.has_field(field));
    if let Some(items) = value.as_list().filter(|items| !items.is_empty())
        && chance.below(4) > 0
    {
        let item = chance.below(items.len() as u32) as usize;
        place = place.item(item);
        inside = items[item].as_message();
    }
    match inside {
        Some(inside) if chance.below(8) > 0 => random_place(inside, place, chance),
        _ => place,
    }
}

/// Changes a value so that it often stays readable: numbers stay small, and lists lose, repeat or
/// swap items.
pub(super) fn alter(message: &mut DynamicMessage, place: &Place, chance: &mut ChanceStream) {
    let small = chance.below(20);
    let value = match place.value(message).clone() {
        Value::U32(_) => Value::U32(small),
        Value::I32(_) => Value::I32(small as i32 - 10),
        Value::Bool(is) => Value::Bool(!is),
        Value::EnumNumber(_) => Value::EnumNumber(small as i32 % 10),
        Value::List(mut items) if !items.is_empty() => {
            let mut any = || chance.below(items.len() as u32) as usize;
            let (one, other) = (any(), any());
            match small % 3 {
                0 => drop(items.remove(one)),
                1 => items.push(items[one].clone()),
                _ => items.swap(one, other),
            }
            Value::List(items)
        }
        Value::Message(_) if place.steps.last().is_some_and(|(_, item)| item.is_none()) => {
            return place.clear(message);
        }
        other => other,
    };
    *place.value(message) = value;
}

/// A number of items that is too large for any list in a game.
const TOO_MANY: usize = 1000;

/// All messages in which the value at one place is broken.
pub(super) fn broken_at(message: &DynamicMessage, place: &Place) -> Vec<Broken> {
    let mut all = Vec::new();
    let mut broken = |how: String, expected: Expectation, change: &dyn Fn(&mut DynamicMessage)| {
        let mut message = message.clone();
        change(&mut message);
        all.push(Broken { message, path: place.path.clone(), how, expected });
    };
    let refused = || Expectation::Refused(place.path.clone());
    let either = || Expectation::RefusedOrRead(place.path.clone());
    let set =
        |value: Value| move |message: &mut DynamicMessage| *place.value(message) = value.clone();
    let value = place.value(&mut message.clone()).clone();
    match &value {
        Value::List(items) => {
            broken("empty".to_owned(), either(), &set(Value::List(vec![])));
            if let Some(item) = items.first() {
                let shorter = items[1..].to_vec();
                broken("one item less".to_owned(), either(), &set(Value::List(shorter)));
                let longer = [&items[..], &items[..1]].concat();
                broken("one item more".to_owned(), either(), &set(Value::List(longer)));
                let many = Value::List(vec![item.clone(); TOO_MANY]);
                // The error may name an item if the items are equal.
                broken("too many items".to_owned(), either(), &set(many));
            }
        }
        Value::Message(_) => {
            broken("cleared".to_owned(), expected_when_cleared(place), &|m| place.clear(m))
        }
        Value::EnumNumber(_) => {
            for number in [1000, -1, i32::MIN, i32::MAX] {
                let value = Value::EnumNumber(number);
                broken(number.to_string(), refused(), &set(value));
            }
            broken("0".to_owned(), either(), &set(Value::EnumNumber(0)));
        }
        Value::U32(number) => {
            // Includes values that truncation to one or two bytes would make valid.
            for other in
                [0, number.saturating_sub(1), number + 1, number + (1 << 8), number + (1 << 16)]
            {
                broken(other.to_string(), either(), &set(Value::U32(other)));
            }
            broken(u32::MAX.to_string(), refused(), &set(Value::U32(u32::MAX)));
        }
        Value::I32(number) => {
            for other in [i32::MIN, number.wrapping_sub(1), number.wrapping_add(1 << 8), i32::MAX] {
                broken(other.to_string(), either(), &set(Value::I32(other)));
            }
        }
        Value::Bool(is) => broken("inverted".to_owned(), either(), &set(Value::Bool(!is))),
        Value::String(_) => {
            for text in ["", "a\u{7}b", &"long ".repeat(TOO_MANY)] {
                broken(format!("{text:.9?}"), refused(), &set(Value::String(text.to_owned())));
            }
        }
        other => panic!("no game has a field such as {other:?}"),
    }
    let scalar = !matches!(value, Value::List(_) | Value::Message(_));
    if scalar && place.steps.last().unwrap().1.is_none() {
        broken("cleared".to_owned(), expected_when_cleared(place), &|m| place.clear(m));
    }
    all
}

/// The expected result for a cleared field: one entry in a `oneof` must be set.
fn expected_when_cleared(place: &Place) -> Expectation {
    let field = place.field();
    match oneof_of(field) {
        Some(oneof) => {
            let (around, _) = place.path.rsplit_once('.').unwrap();
            Expectation::Refused(format!("{around}.{}", oneof.name()))
        }
        None => Expectation::RefusedOrRead(place.path.clone()),
    }
}

/// The `oneof` that has the field as an entry; `None` for an `optional` field, for which the
/// compiler adds a `oneof`.
fn oneof_of(field: &FieldDescriptor) -> Option<OneofDescriptor> {
    field.containing_oneof().filter(|oneof| !oneof.is_synthetic())
}

#[test]
fn a_single_entry_of_a_oneof_is_not_an_optional_field() {
    let oneof = |message: &str, field: &str| {
        let message = descriptors::message(&format!("bridgemaster.{message}"));
        let oneof = oneof_of(&message.get_field_by_name(field).unwrap());
        oneof.map(|oneof| (oneof.name().to_owned(), oneof.fields().len()))
    };
    let entry = oneof("v1.GameChance", "alhambra");
    assert_eq!(entry, Some(("game".to_owned(), 1)));
    assert_eq!(oneof("games.alhambra.v1.Observation", "viewer_seat"), None);
}
