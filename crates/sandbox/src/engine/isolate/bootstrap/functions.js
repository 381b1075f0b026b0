// `Function.prototype.toString` for functions of tools: returns the source text, not the compiled text.
(function functionTexts(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { ReflectApply, define, slice } = realm;

  const { toString: compiledText } = Function.prototype;
  const { toString } = {
    toString() {
      const text = ReflectApply(compiledText, this, []);
      // A method may be called `class`, or `classify`.
      const isClass = slice(text, 0, 5) === 'class' && (text[5] === ' ' || text[5] === '{');
      return native.sourceText(this, isClass) ?? text;
    },
  };
  define(Function.prototype, 'toString', toString);
  realm.sourceText = (fn) => ReflectApply(toString, fn, []);
});
