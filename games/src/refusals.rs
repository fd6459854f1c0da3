//! The macro that declares refusals of decisions, with their messages.

/// Declares a game's refusals as a table. Each refusal has its fields and its message, which
/// becomes part of its documentation. The message may name the fields. Other values follow in
/// parentheses, where a field has a dot before its name. The enum also has a variant for
/// [`OutOfTurn`](crate::OutOfTurn).
macro_rules! refusals {
    ($name:ident { $(
        $(#[$of_refusal:meta])*
        $refusal:ident $(($content:ty))? $({ $($field:ident: $type:ty),+ $(,)? })?
        = $message:literal $(($($shown:tt)+))?,
    )* }) => {
        /// The reason why a decision is refused. Each message names the field of the decision, a
        /// colon, and the legal alternatives.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum $name {
            /// It is not the seat's turn, or a decision of another kind is pending.
            #[error(transparent)]
            OutOfTurn(#[from] crate::OutOfTurn),
            $(
                $(#[$of_refusal])*
                #[doc = ""]
                #[doc = concat!("Message: `` ", $message, " ``")]
                #[error($message $(, $($shown)+)?)]
                $refusal $(($content))? $({ $(
                    #[allow(missing_docs, reason = "documented by its name, or by the message")]
                    $field: $type,
                )+ })?,
            )*
        }
    };
}
pub(crate) use refusals;
