/** The browser takes modules whose kernels multiply four pairs of int8 at once. */
export declare function hasRelaxedSimd(): boolean;
/** Workers may share memory: the page is cross-origin isolated. */
export declare function hasThreads(): boolean;
/** The addresses of the modules that it takes, the fastest first. */
export declare function modules(): URL[];
