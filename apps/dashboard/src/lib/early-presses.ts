/**
 * Keys and buttons pressed while a page's scripts are still on their way. Nothing answers them yet, so the script below,
 * which is part of the page itself, keeps them; once everything listens they are pressed again, each exactly once.
 */

interface EarlyPress {
  /** Null: a button was pressed. */
  readonly key: KeyboardEventInit | null;
  readonly on: HTMLElement;
}

interface EarlyPresses {
  readonly kept: EarlyPress[];
  /** Stops keeping presses. */
  readonly end: () => void;
}

declare global {
  interface Window {
    oblethEarly?: EarlyPresses;
  }
}

/** More than a person does before a page's scripts come; what is held down would go on for ever. */
const MOST_KEPT = 20;

/**
 * Keeps what a page answers by script: characters outside of fields, Ctrl or Cmd with K, and buttons that post no form.
 * Those it takes for itself, since whatever begins to listen half-way would answer a second time.
 */
export const EARLY_PRESSES_SCRIPT = `(function(){
var kept=[],keep=function(event,key,on){event.stopImmediatePropagation();if(kept.length<${MOST_KEPT})kept.push({key:key,on:on})};
var onKey=function(event){
var on=event.target,menu=(event.ctrlKey||event.metaKey)&&event.key==="k";
if(!on||!on.matches||event.isComposing)return;
if(menu)event.preventDefault();
else if(event.key.length!==1||event.ctrlKey||event.metaKey||event.altKey||on.isContentEditable||on.matches("input,textarea,select,button"))return;
keep(event,{key:event.key,code:event.code,ctrlKey:event.ctrlKey,metaKey:event.metaKey,shiftKey:event.shiftKey},on)};
var onClick=function(event){
var on=event.target&&event.target.closest&&event.target.closest("button");
if(on&&!on.disabled&&(on.type!=="submit"||!on.form))keep(event,null,on)};
addEventListener("keydown",onKey,true);addEventListener("click",onClick,true);
window.oblethEarly={kept:kept,end:function(){removeEventListener("keydown",onKey,true);removeEventListener("click",onClick,true)}};
})();`;

/** Presses again what was kept, and ends the keeping. To be called once all that answers presses listens. */
export function repeatEarlyPresses(): void {
  const early = window.oblethEarly;
  if (early === undefined) return;
  delete window.oblethEarly;
  early.end();
  for (const { key, on } of early.kept) {
    const target = on.isConnected ? on : document.body;
    if (key === null) on.click();
    else target.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
  }
}
