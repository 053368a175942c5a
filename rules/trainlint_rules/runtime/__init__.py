"""What only a run of the training can show. The probe finds it; `trainlint check` never does."""
