// `Function.prototype.toString`: functions of tools show what was written, not what became of it.
(function functionTexts(realm, native) {
  const { ReflectApply, define, slice } = realm;

  const { toString: compiledText } = Function.prototype;
  const { toString } = {
    toString() {
      const text = ReflectApply(compiledText, this, []);
      return native.sourceText(this, slice(text, 0, 5) === 'class') ?? text;
    },
  };
  define(Function.prototype, 'toString', toString);
});
