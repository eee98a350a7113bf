// What a person gave to a script behind an npm command.

/**
 * The arguments, and those of `options` that npm took for its own: of `npm run try --down` (without ` -- ` in between) npm
 * hands on nothing but the variable npm_config_down.
 */
export function givenArguments(...options) {
  const args = process.argv.slice(2);
  const kept = options.filter((option) => {
    const variable = `npm_config_${option.replace(/^--/, "").replaceAll("-", "_")}`;
    return process.env[variable] === "true" && !args.includes(option);
  });
  return [...args, ...kept];
}
