//! Parsing a block in one pass over its text.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{committee, model::Block, text::Text};
use crate::decode::{
    Field, ListSeed, NameVisitor, Odd, not_an_object, odd_scalars, odd_value, read_odd,
};

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlockVisitor;

        impl<'de> Visitor<'de> for BlockVisitor {
            type Value = Block;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a block, which is an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Block, A::Error> {
                read_block(map)
            }
        }

        deserializer.deserialize_map(BlockVisitor)
    }
}

fn read_block<'de, A: MapAccess<'de>>(mut map: A) -> Result<Block, A::Error> {
    let mut block = Block::default();
    while let Some(name) = map.next_key_seed(NameVisitor)? {
        match &*name {
            "index" => block.index = Field::read(map.next_value()?),
            "block_index" => block.block_index = Field::read(map.next_value()?),
            "timestamp" => block.timestamp = Field::read(map.next_value()?),
            "proof" => block.proof = Field::read(map.next_value()?),
            "status" => block.status = Field::read(map.next_value()?),
            "creator_wallet" => block.creator_wallet = Field::read(map.next_value()?),
            "expected_miner" => block.expected_miner = Field::read(map.next_value()?),
            "previous_hash" => block.previous_hash = Field::read(map.next_value()?),
            "hash" => block.hash = Field::read(map.next_value()?),
            "text" => block.text = map.next_value_seed(TextSeed)?,
            "committee" => block.committee = map.next_value_seed(ListSeed::new())?,
            "transactions" => block.beside.transactions = map.next_value_seed(ListSeed::new())?,
            "previous_block_receipts" => {
                block.beside.receipts = map.next_value_seed(ListSeed::new())?;
            }
            _ => block
                .extra
                .push(&name, map.next_value::<&RawValue>()?.to_owned().into()),
        }
    }
    block.good_members = committee::wallets(&block.committee);
    Ok(block)
}

/// Parses `text` from an object, or from a string that contains one.
struct TextSeed;

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = Text;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl TextSeed {
    #[expect(clippy::unused_self, reason = "called by the macro as a visitor's own")]
    fn odd<E: de::Error>(self, odd: Odd) -> Result<Text, E> {
        let found = match odd {
            Odd::Null => Field::Null,
            Odd::Text(text) => match serde_json::from_str::<Inside>(&text) {
                Ok(Inside(inside)) => {
                    return Ok(Text {
                        in_text: true,
                        ..inside
                    });
                }
                Err(_) => {
                    let raw = odd_value(&text);
                    Field::malformed(not_an_object(raw.as_str()), raw)
                }
            },
            Odd::Value(raw) => Field::malformed(not_an_object(raw.as_str()), raw),
        };
        Ok(Text {
            found,
            ..Text::default()
        })
    }
}

impl<'de> Visitor<'de> for TextSeed {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        let mut text = Text {
            found: Field::Value(()),
            ..Text::default()
        };
        while let Some(name) = map.next_key_seed(NameVisitor)? {
            match &*name {
                "transactions" => text.transactions = map.next_value_seed(ListSeed::new())?,
                "previous_block_receipts" => {
                    text.receipts = map.next_value_seed(ListSeed::new())?;
                }
                _ => text
                    .extra
                    .push(&name, map.next_value::<&RawValue>()?.to_owned().into()),
            }
        }
        Ok(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Text, A::Error> {
        read_odd().visit_seq(seq).and_then(|odd| self.odd(odd))
    }

    odd_scalars!();
}

/// The object inside a string.
struct Inside(Text);

impl<'de> Deserialize<'de> for Inside {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InsideVisitor;

        impl<'de> Visitor<'de> for InsideVisitor {
            type Value = Inside;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Inside, A::Error> {
                TextSeed.visit_map(map).map(Inside)
            }
        }

        deserializer.deserialize_map(InsideVisitor)
    }
}
