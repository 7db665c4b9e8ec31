/** What one job may use of the host, as the operator decides. */

export type JobLimits = {
  /** Memory of all its processes together. */
  memoryBytes?: number | undefined;
  /** Processors, also parts of one; only containers are held to it. */
  cpus?: number | undefined;
  /** Processes and threads. */
  processes?: number | undefined;
  /** Bytes below its directories. */
  diskBytes?: number | undefined;
};
