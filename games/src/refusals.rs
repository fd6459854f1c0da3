//! Refusals, and the message of each.

/// Declares why a game refuses decisions, as a table: of each refusal its fields, and its message,
/// which is its documentation too. The message may name the fields; what else it shows follows in
/// parentheses, where a field has a dot before its name. That a seat is out of turn is in it.
macro_rules! refusals {
    ($name:ident { $(
        $(#[$of_refusal:meta])*
        $refusal:ident $(($content:ty))? $({ $($field:ident: $type:ty),+ $(,)? })?
        = $message:literal $(($($shown:tt)+))?,
    )* }) => {
        /// Why a decision is refused. Each message names the field of the decision, a colon, and
        /// what would be legal.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum $name {
            /// It is not the seat's turn, or not the turn of such a decision.
            #[error(transparent)]
            OutOfTurn(#[from] crate::OutOfTurn),
            $(
                $(#[$of_refusal])*
                #[doc = ""]
                #[doc = concat!("Told as: `` ", $message, " ``")]
                #[error($message $(, $($shown)+)?)]
                $refusal $(($content))? $({ $(
                    #[allow(missing_docs, reason = "its name and type tell, or the refusal's text")]
                    $field: $type,
                )+ })?,
            )*
        }
    };
}
pub(crate) use refusals;
