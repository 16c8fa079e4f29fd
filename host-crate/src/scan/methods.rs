//! The eight scans, which every plan has: inclusive and exclusive, with an initial value or
//! without, in place or not.

/// The scans of types that `ask` for them: their methods, for operators with kernels.
macro_rules! scans {
    ($kernels:ident: $($plan:ty),*) => {$(
        /// Every scan may fail, before anything is launched, with [`Error::Argument`] for
        /// an output with fewer elements than the input, for more elements than the plan's
        /// capacity, and for addresses that no kernel of the operator takes, and with
        /// [`Error::ForeignBuffer`] for memory of another device; then with the driver's
        /// errors, such as that of an earlier kernel.
        impl<O: $kernels> $plan {
            /// Result i combines the elements up to and with i.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn inclusive<'a, 'b>(
                &mut self,
                input: impl Readable<'a, O::Input>,
                output: impl Writable<'b, O::Output>,
            ) -> Result<()> {
                let call = Call::apart(input.into(), output.into())?;
                self.ask(call, Kind::Inclusive(None))
            }

            /// Result i combines `initial` and the elements up to and with i.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn inclusive_with<'a, 'b>(
                &mut self,
                initial: O::Accumulator,
                input: impl Readable<'a, O::Input>,
                output: impl Writable<'b, O::Output>,
            ) -> Result<()> {
                let call = Call::apart(input.into(), output.into())?;
                self.ask(call, Kind::Inclusive(Some(initial)))
            }

            /// Result i combines the elements before i; result 0 is the neutral element.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn exclusive<'a, 'b>(
                &mut self,
                input: impl Readable<'a, O::Input>,
                output: impl Writable<'b, O::Output>,
            ) -> Result<()>
            where
                O: Identity,
            {
                self.exclusive_with(O::IDENTITY, input, output)
            }

            /// Result i combines `initial` and the elements before i; result 0 is
            /// `initial`.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn exclusive_with<'a, 'b>(
                &mut self,
                initial: O::Accumulator,
                input: impl Readable<'a, O::Input>,
                output: impl Writable<'b, O::Output>,
            ) -> Result<()> {
                let call = Call::apart(input.into(), output.into())?;
                self.ask(call, Kind::Exclusive(initial))
            }

            /// As `inclusive`, each result in the place of its element.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn inclusive_in_place<'a, T>(
                &mut self,
                data: impl Writable<'a, T>,
            ) -> Result<()>
            where
                T: bytemuck::Pod,
                O: Operator<Input = T, Output = T>,
            {
                self.ask(Call::in_place(data.into()), Kind::Inclusive(None))
            }

            /// As `inclusive_with`, each result in the place of its element.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn inclusive_with_in_place<'a, T>(
                &mut self,
                initial: O::Accumulator,
                data: impl Writable<'a, T>,
            ) -> Result<()>
            where
                T: bytemuck::Pod,
                O: Operator<Input = T, Output = T>,
            {
                self.ask(Call::in_place(data.into()), Kind::Inclusive(Some(initial)))
            }

            /// As `exclusive`, each result in the place of its element.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn exclusive_in_place<'a, T>(
                &mut self,
                data: impl Writable<'a, T>,
            ) -> Result<()>
            where
                T: bytemuck::Pod,
                O: Identity + Operator<Input = T, Output = T>,
            {
                self.exclusive_with_in_place(O::IDENTITY, data)
            }

            /// As `exclusive_with`, each result in the place of its element.
            ///
            /// # Errors
            ///
            /// As said above.
            pub fn exclusive_with_in_place<'a, T>(
                &mut self,
                initial: O::Accumulator,
                data: impl Writable<'a, T>,
            ) -> Result<()>
            where
                T: bytemuck::Pod,
                O: Operator<Input = T, Output = T>,
            {
                self.ask(Call::in_place(data.into()), Kind::Exclusive(initial))
            }
        }
    )*};
}

pub(super) use scans;
