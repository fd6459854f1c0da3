//! The codecs of services: prost with small buffers, and one that sends bytes as they are.

use std::marker::PhantomData;

use prost::{
    Message,
    bytes::{BufMut as _, Bytes},
};
use tonic::{
    Status,
    codec::{BufferSettings, Codec, EncodeBuf, Encoder},
};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Buffer that a call starts with, in bytes; it grows with the messages. A request has about 600
/// bytes, and a server holds thousands of streams that mostly wait: with the usual 8 KiB, their empty
/// buffers would be most of its memory.
const BUFFER_BYTES: usize = 1024;

/// Buffer that a service which sends bytes starts with for what it receives: decisions, most of which
/// have fewer than 20 bytes, and the requests of spectators.
const SHORT_BUFFER_BYTES: usize = 128;

/// Encoded messages of a stream are handed on once there are so many bytes; tonic's own value.
const YIELD_BYTES: usize = 32 * 1024;

/// Encodes `T` and decodes `U`.
#[derive(Debug)]
pub(crate) struct SmallBufferCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallBufferCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallBufferCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(BUFFER_BYTES, YIELD_BYTES))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::new(BUFFER_BYTES, YIELD_BYTES))
    }
}

/// Sends messages that are encoded already, and decodes `U`: for a service that encodes a message
/// when it comes about, or once for many calls.
#[derive(Debug)]
pub struct BytesCodec<U>(PhantomData<U>);

impl<U> Default for BytesCodec<U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<U: Message + Default + Send + 'static> Codec for BytesCodec<U> {
    type Encode = Bytes;
    type Decode = U;
    type Encoder = BytesEncoder;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> BytesEncoder {
        BytesEncoder(())
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<U, U>::raw_decoder(BufferSettings::new(SHORT_BUFFER_BYTES, YIELD_BYTES))
    }
}

/// Copies a message into the buffer of its call.
#[derive(Debug)]
pub struct BytesEncoder(());

impl Encoder for BytesEncoder {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(BUFFER_BYTES, YIELD_BYTES)
    }
}
