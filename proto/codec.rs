//! Codecs for the services: prost with small buffers, and a codec that sends messages that are
//! already encoded.

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

/// The initial size of a call's buffers, in bytes; the buffers grow with the messages. A request
/// has about 600 bytes, and a server has thousands of mostly idle streams. With tonic's default of
/// 8 KiB, empty buffers would be most of the server's memory.
const BUFFER_BYTES: usize = 1024;

/// The initial size of the receive buffer in a service that sends encoded messages, in bytes. Such
/// a service receives spectators' requests and bots' decisions, and most decisions have fewer than
/// 20 bytes.
const SHORT_BUFFER_BYTES: usize = 128;

/// The number of encoded bytes at which a stream yields: tonic's default.
const YIELD_BYTES: usize = 32 * 1024;

/// Encodes `T` and decodes `U`, with small buffers.
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

/// Sends messages that are already encoded, and decodes `U`. This codec is for services that encode
/// a message ahead of time, or once for many calls.
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

/// Copies an encoded message into its call's buffer. Each message is sent before the next one is
/// polled: a service may record the time at which the transport takes a message.
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
        BufferSettings::new(BUFFER_BYTES, 1)
    }
}
