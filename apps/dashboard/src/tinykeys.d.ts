/** The package ships types its exports do not name. */
declare module "tinykeys" {
  export function createKeybindingsHandler(
    bindings: Readonly<Record<string, (event: KeyboardEvent) => void>>,
  ): (event: Event) => void;
}
