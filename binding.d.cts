export interface BindingError {
  code: string
  message: string
  details: string
}
export interface BindingOutcome {
  value?: string
  error?: BindingError
}
export declare class BindingKernel {
  constructor()
  boot(configJson: string, baseDir: string): Promise<BindingOutcome>
  listFiles(dir: string): Promise<BindingOutcome>
  readFile(path: string): Promise<BindingOutcome>
  writeFile(path: string, content: string): Promise<BindingOutcome>
  patchFile(path: string, search: string, replace: string): Promise<BindingOutcome>
  checkTool(path: string): Promise<BindingOutcome>
  exec(runId: number, path: string, argsJson: string, optionsJson: string): Promise<BindingOutcome>
  cancel(runId: number): void
  shutdown(): Promise<BindingOutcome>
}
export declare function errorCodes(): string[]
export declare function engineVersion(): string
