/** The path of the file of weights. */
export declare const weights: string;
