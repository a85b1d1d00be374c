/** Language models on this machine, by Rondo. */
module rondo {
  exports rondo;
}
