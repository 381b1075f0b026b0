#!/usr/bin/env node
import { main } from '../js/cli.js';

process.exitCode = await main(process.argv.slice(2));
