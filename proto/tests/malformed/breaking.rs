//! The values in a message, and the ways in which each of them is broken.

use std::collections::BTreeSet;

use prost_reflect::{DynamicMessage, FieldDescriptor, ReflectMessage as _, Value};

/// The way from a message to a value in it: fields, and places in lists.
type Steps = Vec<(FieldDescriptor, Option<usize>)>;

/// A value in a message that can be broken.
#[derive(Clone)]
pub(super) struct Place {
    steps: Steps,
    /// As an error names it.
    pub(super) path: String,
}

impl Place {
    /// The message in a field of another one, which is not broken itself.
    pub(super) fn top(field: FieldDescriptor) -> Self {
        Self {
            path: field.name().to_owned(),
            steps: vec![(field, None)],
        }
    }

    fn field(&self) -> &FieldDescriptor {
        &self.steps.last().unwrap().0
    }

    /// What is broken here, wherever it stands: a field, or the items of its list.
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
            match i + 1 == steps.len() {
                true => value,
                false => below(value.as_message_mut().unwrap(), steps, i + 1),
            }
        }
        below(message, &self.steps, 0)
    }

    /// Leaves the field out.
    fn clear(&self, message: &mut DynamicMessage) {
        let (last, around) = self.steps.split_last().unwrap();
        let around = Self {
            steps: around.to_vec(),
            path: String::new(),
        };
        let around = match around.steps.is_empty() {
            true => message,
            false => around.value(message).as_message_mut().unwrap(),
        };
        around.clear_field(&last.0);
    }
}

/// What must come of reading a broken message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wanted {
    /// An error with this path, or that of its list.
    Refused(String),
    /// An error whose path leads to the field, through it or to another item of its list, or a
    /// value that survives the wire.
    RefusedOrRead(String),
}

/// A broken message.
pub(super) struct Broken {
    pub(super) message: DynamicMessage,
    /// The path of what was broken.
    pub(super) path: String,
    /// What was done to it.
    pub(super) how: String,
    pub(super) wanted: Wanted,
}

/// All values in a message: of a list its first and its last item.
pub(super) fn places(message: &DynamicMessage, above: &Place, found: &mut Vec<Place>) {
    for field in message.descriptor().fields() {
        let in_oneof = field
            .containing_oneof()
            .is_some_and(|o| o.fields().len() > 1);
        if in_oneof && !message.has_field(&field) {
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

/// Items of a list that no game has room for.
const TOO_MANY: usize = 1000;

/// The ways in which the value at a place is broken.
pub(super) fn broken_at(message: &DynamicMessage, place: &Place) -> Vec<Broken> {
    let mut all = Vec::new();
    let mut broken = |how: String, wanted: Wanted, change: &dyn Fn(&mut DynamicMessage)| {
        let mut message = message.clone();
        change(&mut message);
        all.push(Broken {
            message,
            path: place.path.clone(),
            how,
            wanted,
        });
    };
    let refused = || Wanted::Refused(place.path.clone());
    let either = || Wanted::RefusedOrRead(place.path.clone());
    let set =
        |value: Value| move |message: &mut DynamicMessage| *place.value(message) = value.clone();
    let value = place.value(&mut message.clone()).clone();
    match &value {
        Value::List(items) => {
            broken("empty".to_owned(), either(), &set(Value::List(vec![])));
            if let Some(item) = items.first() {
                let shorter = items[1..].to_vec();
                broken("one less".to_owned(), either(), &set(Value::List(shorter)));
                let longer = [&items[..], &items[..1]].concat();
                broken("one more".to_owned(), either(), &set(Value::List(longer)));
                let many = Value::List(vec![item.clone(); TOO_MANY]);
                // A wrong item may be named, of which there are too many alike.
                broken("far too many".to_owned(), either(), &set(many));
            }
        }
        Value::Message(_) => broken("left out".to_owned(), left_out(place), &|m| place.clear(m)),
        Value::EnumNumber(_) => {
            for number in [1000, -1, i32::MIN, i32::MAX] {
                let value = Value::EnumNumber(number);
                broken(number.to_string(), refused(), &set(value));
            }
            broken("0".to_owned(), either(), &set(Value::EnumNumber(0)));
        }
        Value::U32(number) => {
            // What a byte or two would cut to a valid number, too.
            for other in [
                0,
                number.saturating_sub(1),
                number + 1,
                number + (1 << 8),
                number + (1 << 16),
            ] {
                broken(other.to_string(), either(), &set(Value::U32(other)));
            }
            broken(u32::MAX.to_string(), refused(), &set(Value::U32(u32::MAX)));
        }
        Value::I32(number) => {
            for other in [
                i32::MIN,
                number.wrapping_sub(1),
                number.wrapping_add(1 << 8),
                i32::MAX,
            ] {
                broken(other.to_string(), either(), &set(Value::I32(other)));
            }
        }
        Value::Bool(is) => broken("the other".to_owned(), either(), &set(Value::Bool(!is))),
        Value::String(_) => {
            for text in ["", "a\u{7}b", &"long ".repeat(TOO_MANY)] {
                broken(
                    format!("{text:.9?}"),
                    refused(),
                    &set(Value::String(text.to_owned())),
                );
            }
        }
        other => panic!("no game has a field such as {other:?}"),
    }
    let scalar = !matches!(value, Value::List(_) | Value::Message(_));
    if scalar && place.steps.last().unwrap().1.is_none() {
        broken("left out".to_owned(), left_out(place), &|m| place.clear(m));
    }
    all
}

/// What must come of leaving a field out: of the entries of a `oneof` one must be set.
fn left_out(place: &Place) -> Wanted {
    let field = place.field();
    match field.containing_oneof() {
        Some(oneof) if oneof.fields().len() > 1 => {
            let (around, _) = place.path.rsplit_once('.').unwrap();
            Wanted::Refused(format!("{around}.{}", oneof.name()))
        }
        _ => Wanted::RefusedOrRead(place.path.clone()),
    }
}
