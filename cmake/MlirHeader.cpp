// Carries the precompiled header MlirHeader.h.
