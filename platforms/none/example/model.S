/* The model's file, where kernels can read it as it lies. */
  .section .rodata.model, "a"
  .balign 64
  .global model_begin, model_end
model_begin:
  .incbin RONDO_MODEL
model_end:
