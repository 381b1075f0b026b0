//! Words of everyday computing that mean nearly the same, or the opposite.
//!
//! This is general English, not a list for any one set of tools. What it cannot know is left to a
//! [`super::Meaning`] with embeddings behind it.

use super::words::Words;
use std::collections::HashMap;

/// Each line: words that may stand for each other.
const ALIKE: &[&str] = &[
    "add append include insert", "add sum total", "amount sum total", "sum total accumulate aggregate", "cumulative running progressive", "address location",
    "anomaly outlier", "anonymize redact mask hide black", "answer response reply", "append concat concatenate join", "arrange order sort", "arrangement permutation order",
    "article post document text", "assign allocate distribute", "average mean", "batch chunk group", "begin start first", "between among",
    "big large great huge", "biggest largest greatest maximum max highest top most", "smallest least minimum min lowest fewest", "bill invoice", "body payload content",
    "boss manager supervisor", "bucket bin group", "budget plan", "build make create generate construct", "buy purchase order", "buyer customer client",
    "calculate compute evaluate determine", "calendar schedule", "cancel churn leave", "category group class kind type", "change modify update edit", "change difference diff delta",
    "character letter", "characters letters string", "chart graph plot", "check validate verify test", "choose select pick", "clean strip remove", "close near nearest closest nearby",
    "cluster group segment", "code source", "collect extract find gather", "column field property", "combine merge join", "common shared mutual", "company business firm organization org",
    "compare diff", "concat join merge", "config configuration settings options", "convert transform translate turn change", "coordinate point position", "cost price expense",
    "count number tally", "country nation", "create generate make", "credit refund", "currency money", "cut truncate shorten trim", "data record entry", "dataset table", "date day",
    "decode parse read", "delete remove drop erase", "delivery shipping shipment", "depend dependency", "detect find discover identify", "device browser", "difference gap delta",
    "digest hash fingerprint checksum", "discount coupon rebate", "distance length far", "distribute spread split", "distribution histogram", "divide split", "dollar currency euro yen",
    "download fetch", "draw sample pick", "duplicate repeat same", "dedupe deduplicate duplicate", "duration time length", "earn gain profit", "email mail", "email mailbox",
    "employee staff worker personnel colleague", "encode encrypt", "end finish last", "entry row record item", "equal same identical", "error failure fault exception", "estimate guess approximate predict",
    "event incident", "event appointment meeting", "exclude omit skip", "execute run fire", "expand unfold", "expected predicted forecast", "expense spending cost spend", "export write save",
    "extract pull collect find", "factor divisor", "fast quick short", "fastest quickest shortest cheapest", "fee charge penalty", "feed rss", "feedback review", "fetch get load retrieve", "fill impute complete",
    "filter keep select", "find search locate", "first initial", "fit regression", "folder directory", "forecast predict project", "format render print show", "fraction share proportion percentage ratio rate part",
    "free available", "frequency often", "frequent common", "function method", "gap missing hole", "goods items products", "grade score rate rating", "graph network", "greatest largest", "group cluster",
    "growth increase", "guess estimate", "headline title heading", "height size", "hide mask", "hire recruit", "holiday vacation leave", "host server machine", "hyperlink link url", "id identifier key", "image picture photo",
    "import read load", "income revenue earnings", "income salary wage pay", "inside within", "integer number", "interval range period slot", "inventory stock", "item element entry", "item product article goods",
    "job task work", "join combine merge", "kind type", "language locale", "late overdue", "launch start", "letter character", "limit bound restrict cap", "limit maximum", "link url", "list array", "list enumerate show", "load traffic",
    "loan mortgage credit", "log record", "login password credential", "loss fall drop decline", "machine server", "mail letter message", "match pair", "maximum peak", "measure metric", "median middle", "message text",
    "minimal least", "missing absent empty blank lacking", "mistake error typo", "misspelling typo misspelt", "mix shuffle", "money cash", "monitor watch", "month monthly", "name title", "nested deep", "net take-home", "node vertex", "normalize scale standardize",
    "number figure value", "object map dictionary", "order purchase", "order sequence rank", "outage downtime", "package library module", "page site website", "parcel package box", "parse read", "password passphrase", "path route way",
    "pattern regex expression", "pay payment", "percentage percent share", "person people human", "phrase sentence", "place location", "placeholder variable", "plan schedule", "plural", "position location rank", "postage shipping",
    "price cost rate", "print show display", "product item", "profit gain margin", "proportion share", "publish post", "pulse heart", "quantity amount number count", "query search", "random arbitrary", "range span", "rank order",
    "rating review score", "read parse load", "receipt income", "record row entry", "redirect forward", "refund reimbursement", "relation link", "reliability availability uptime", "reliable available", "remaining left", "remove strip drop take",
    "rename relabel", "repeat recur recurring", "replace substitute swap", "report summary", "request call query", "restaurant dinner meal", "restock reorder", "result outcome", "retry repeat", "return refund", "return yield", "revenue sales turnover",
    "reverse backwards invert mirror", "roster rota schedule", "round", "row line record", "salary wage pay", "same equal", "scale resize", "schedule plan timetable", "secret key token", "segment cluster group", "send deliver ship", "sentence phrase",
    "sequence series list", "serialize stringify write format", "server host machine", "share portion", "shop store branch", "short brief", "shorten truncate", "signature sign", "similar alike close", "size length", "slug permalink", "smooth average",
    "sort order rank", "split divide separate break tokenize", "spread deviation variance volatility", "staff employee", "stock inventory", "strength secure entropy hard", "string text", "subnet cidr network", "subscriber customer user member",
    "subscription plan membership", "suggestion recommendation", "sum add", "table dataset sheet spreadsheet", "tag label", "task job", "tax gst vat duty", "team group", "temperature thermometer", "text prose string paragraph", "thing item", "tie draw",
    "time hour moment", "timesheet hours", "token word", "tour trip route journey", "track trace", "traffic visitors", "transaction posting payment transfer", "tree hierarchy", "trend line", "typo misspelling misspelt", "unique distinct", "unpaid outstanding owed owes", "url link address uri web",
    "user visitor customer member", "utm campaign tracking marketing", "vacation leave holiday", "validate check", "value worth", "value number", "variance deviation", "variable parameter argument unknown", "vat tax", "version release", "visitor traffic", "visit session", "weight mass", "word term",
    "work labor job", "worker employee", "write save print", "write format", "zone area region", "old age", "pound lbs lb", "kilogram kg", "kilometer km", "liter litre", "mile mi", "second sec", "minute min", "json js", "regular regexp regex",
];

/// Pairs that make a job another one.
const OPPOSITE: &[&str] = &[
    "encode decode", "encrypt decrypt", "add remove", "add subtract", "add strip", "include exclude", "parse format", "parse stringify", "parse build", "parse generate", "parse write",
    "read write", "min max", "minimum maximum", "least greatest", "smallest largest", "lowest highest", "first last", "import export", "flatten unflatten", "compress decompress",
    "ascending descending", "increase decrease", "split join", "upper lower", "shortest longest", "inner left", "inner outer", "left right", "simple compound", "pivot unpivot", "serialize parse",
    "upload download", "lock unlock", "enable disable", "start stop", "open close", "push pull", "zip unzip", "escape unescape", "validate generate", "sign verify", "sum average", "mean median",
    "intersection difference", "sent received", "gain loss", "income expense", "sunrise sunset", "encode parse", "stringify parse", "create delete", "bump compare",
];

/// What questions ask for without naming it.
const ASKED_FOR: &[(&str, &str)] = &[
    ("how many", "count number"), ("how much", "amount cost"), ("how often", "frequency"), ("how far", "distance"), ("how old", "age"), ("how long", "duration length"),
    ("how strong", "strength"), ("how large", "size"), ("what time", "time"), ("o clock", "time"), ("which day", "weekday"), ("did you mean", "fuzzy similar"), ("move together", "correlation"), ("apart", "distance"),
];

pub(super) struct Thesaurus {
    alike: HashMap<String, Vec<String>>,
    opposite: HashMap<String, Vec<String>>,
}

impl Thesaurus {
    pub(super) fn new(words: &Words) -> Self {
        Self { alike: groups(words, ALIKE), opposite: groups(words, OPPOSITE) }
    }

    /// Stems that may stand for this one.
    pub(super) fn alike(&self, stem: &str) -> &[String] {
        self.alike.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Stems that mean the opposite.
    pub(super) fn opposite(&self, stem: &str) -> &[String] {
        self.opposite.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Words that a question means without saying them.
    pub(super) fn asked_for(question: &str) -> impl Iterator<Item = &'static str> {
        let spaced = format!(
            " {} ",
            question.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        );
        ASKED_FOR
            .iter()
            .filter(move |(phrase, _)| spaced.contains(&format!(" {phrase} ")))
            .flat_map(|(_, meant)| meant.split(' '))
    }
}

fn groups(words: &Words, lines: &[&str]) -> HashMap<String, Vec<String>> {
    let mut map: HashMap<String, Vec<String>> = HashMap::new();
    for line in lines {
        let stems: Vec<String> = line.split(' ').map(|word| words.stem(word)).collect();
        for stem in &stems {
            let others = map.entry(stem.clone()).or_default();
            others.extend(stems.iter().filter(|other| *other != stem).cloned());
        }
    }
    for others in map.values_mut() {
        others.sort_unstable();
        others.dedup();
    }
    map
}
