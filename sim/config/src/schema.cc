#include "config/schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <regex.h>

namespace config {

namespace {

constexpr double kExactDouble = 0x1p53; // up to here a double represents every whole number

// Compares two numbers; exact if both are whole and not negative.
bool less(const Json &a, const Json &b) {
    if (a.is_number_unsigned() && b.is_number_unsigned())
        return a.get<std::uint64_t>() < b.get<std::uint64_t>();
    return a.get<double>() < b.get<double>();
}

// By the standard, 5.0 is a whole number.
bool is_whole(const Json &value) {
    if (!value.is_number_float())
        return value.is_number_integer();
    const double number = value.get<double>();
    return std::floor(number) == number && std::fabs(number) <= kExactDouble;
}

struct Type {
    std::string_view word, name;
    bool (*is)(const Json &);
};

constexpr std::array<Type, 6> kTypes{{
    {"object", "an object", [](const Json &v) { return v.is_object(); }},
    {"array", "a list", [](const Json &v) { return v.is_array(); }},
    {"string", "a text", [](const Json &v) { return v.is_string(); }},
    {"number", "a number", [](const Json &v) { return v.is_number(); }},
    {"integer", "a whole number", is_whole},
    {"boolean", "true or false", [](const Json &v) { return v.is_boolean(); }},
}};

const Type *type_of(const Json &rules) {
    const auto word = rules.find("type");
    const auto type = word == rules.end()
                          ? kTypes.end()
                          : std::ranges::find(kTypes, word->get<std::string>(), &Type::word);
    return type == kTypes.end() ? nullptr : &*type;
}

std::string listed(const Json &values) {
    std::string list;
    for (const Json &value : values)
        list += (list.empty() ? "" : ", ") + value.dump();
    return list;
}

std::string keys_of(const Json &rules) {
    std::string list;
    for (const auto &property : rules.at("properties").items())
        list += (list.empty() ? "\"" : ", \"") + property.key() + "\"";
    return list;
}

// Text of the two bounds under these keys: "1 to 9", "at least 1", "at most 9".
std::string bounds(const Json &rules, const char *low, const char *high) {
    if (!rules.contains(low))
        return "at most " + rules.at(high).dump();
    if (!rules.contains(high))
        return "at least " + rules.at(low).dump();
    return rules.at(low).dump() + " to " + rules.at(high).dump();
}

// Describes the allowed values, from the rules.
std::string remedy(const Json &rules) {
    if (rules.contains("const"))
        return "write " + rules.at("const").dump();
    if (rules.contains("enum"))
        return "choose one of " + listed(rules.at("enum"));
    if (rules.contains("pattern"))
        return "write " + rules.at("description").get<std::string>();
    const std::string_view type = type_of(rules)->word;
    if (type == "integer" || type == "number")
        return "give " + std::string(type_of(rules)->name) + " from " +
               bounds(rules, "minimum", "maximum");
    if (type == "string" && (rules.contains("minLength") || rules.contains("maxLength")))
        return "give a text of " + bounds(rules, "minLength", "maxLength") + " characters";
    if (type == "string")
        return "give a text in double quotes";
    return type == "boolean" ? "write true or false"
           : type == "array" ? "write [...]"
                             : "write {...}";
}

// A short form of a value for a message; values that are not scalar may be too long or too deep.
std::string shown(const Json &value) {
    return value.is_array() ? "a list" : value.is_object() ? "an object" : value.dump();
}

// A POSIX extended regular expression; for the patterns that the schemas use it equals
// ECMAScript's.
bool matches(const std::string &text, const std::string &pattern) {
    regex_t compiled;
    if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
        throw std::logic_error("schema: " + pattern + " is no pattern");
    const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return found && text.find('\0') == std::string::npos;
}

// Length of a UTF-8 text in characters, as the standard defines it.
std::size_t characters(const std::string &text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; }));
}

class Check {
public:
    Check(const Schema &schema, const std::string &file) : schema_(schema), file_(file) {}

    void value(const Json &value, const Json &node, const std::string &path) const {
        const Json &rules = schema_.resolve(node);
        if (rules.contains("const") && value != rules.at("const"))
            fail(path, "is " + shown(value), remedy(rules));
        if (rules.contains("enum") &&
            std::ranges::find(rules.at("enum"), value) == rules.at("enum").end())
            fail(path, shown(value) + " is not known", remedy(rules));
        const Type *type = type_of(rules);
        if (type == nullptr)
            return;
        if (!type->is(value))
            fail(path, "is not " + std::string(type->name), remedy(rules));
        if (value.is_number())
            number(value, rules, path);
        else if (value.is_string())
            text(value.get_ref<const std::string &>(), rules, path);
        else if (value.is_array())
            list(value, rules, path);
        else if (value.is_object())
            object(value, rules, path);
    }

private:
    [[noreturn]] void fail(const std::string &path, const std::string &what,
                           const std::string &remedy) const {
        throw Error(file_, path, what, remedy);
    }

    void number(const Json &value, const Json &rules, const std::string &path) const {
        if (less(value, rules.at("minimum")) || less(rules.at("maximum"), value))
            fail(path, value.dump() + " is out of range", remedy(rules));
    }

    void text(const std::string &value, const Json &rules, const std::string &path) const {
        const std::size_t length = characters(value);
        if (length < rules.value("minLength", std::size_t{0}) ||
            length > rules.value("maxLength", value.size()))
            fail(path, "has " + std::to_string(length) + " characters", remedy(rules));
        if (rules.contains("pattern") && !matches(value, rules.at("pattern").get<std::string>()))
            fail(path, Json(value).dump() + " is not right", remedy(rules));
    }

    void list(const Json &value, const Json &rules, const std::string &path) const {
        if (value.size() < rules.value("minItems", std::size_t{0}) ||
            value.size() > rules.value("maxItems", value.size()))
            fail(path, "is a list of " + std::to_string(value.size()),
                 "give " + bounds(rules, "minItems", "maxItems"));
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::string at = path + "[" + std::to_string(i) + "]";
            this->value(value[i], rules.at("items"), at);
            if (rules.value("uniqueItems", false) &&
                std::find(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(i),
                          value[i]) != value.begin() + static_cast<std::ptrdiff_t>(i))
                fail(at, shown(value[i]) + " is given twice", "name it once");
        }
    }

    void object(const Json &value, const Json &rules, const std::string &path) const {
        const std::string prefix = path.empty() ? "" : path + ".";
        const Json &properties = rules.at("properties");
        for (const auto &item : value.items())
            if (!properties.contains(item.key()))
                fail(prefix + item.key(), "is not a known key",
                     "remove it, or correct its spelling");
        if (value.size() < rules.value("minProperties", std::size_t{0}) ||
            value.size() > rules.value("maxProperties", value.size()))
            fail(path, "has " + std::to_string(value.size()) + " keys",
                 "give " + bounds(rules, "minProperties", "maxProperties") + " of " +
                     keys_of(rules));
        if (rules.contains("required"))
            for (const Json &key : rules.at("required"))
                if (!value.contains(key.get<std::string>()))
                    fail(prefix + key.get<std::string>(), "is missing",
                         remedy(schema_.resolve(properties.at(key.get<std::string>()))));
        for (const auto &item : value.items())
            this->value(item.value(), properties.at(item.key()), prefix + item.key());
    }

    const Schema &schema_;
    const std::string &file_;
};

// Throws std::logic_error unless Check implements all rules of `node`.
void verify(const Schema &schema, const Json &node, const std::string &path) {
    static constexpr std::array<std::string_view, 20> kKeywords{
        "$schema",   "title",      "description", "$defs",    "type",
        "const",     "enum",       "minimum",     "maximum",  "minLength",
        "maxLength", "pattern",    "minItems",    "maxItems", "uniqueItems",
        "items",     "properties", "required",    "default",  "additionalProperties"};
    static constexpr std::array<std::string_view, 2> kSizes{"minProperties", "maxProperties"};
    const auto demand = [&](bool holds, const char *what) {
        if (!holds)
            throw std::logic_error("schema: " + path + ": " + what);
    };
    if (node.contains("$ref")) {
        demand(node.size() == 1, "has more than its $ref");
        demand(schema.resolve(node).is_object(), "refers to no rules");
        return;
    }
    for (const auto &item : node.items())
        demand(std::ranges::find(kKeywords, item.key()) != kKeywords.end() ||
                   std::ranges::find(kSizes, item.key()) != kSizes.end(),
               "has a keyword that nobody checks");
    const Type *type = type_of(node);
    demand((type != nullptr) != (node.contains("enum") || node.contains("const")),
           "has neither a type nor its values, or both");
    demand(!node.contains("pattern") ||
               (node.contains("description") && node.contains("maxLength")),
           "has a pattern without description or maxLength");
    if (node.contains("default"))
        Check(schema, path).value(node.at("default"), node, "default");
    if (type == nullptr)
        return;
    if (type->word == "number" || type->word == "integer")
        demand(node.contains("minimum") && node.contains("maximum"), "has no range");
    if (type->word == "array")
        verify(schema, node.at("items"), path + "[]");
    if (type->word == "object") {
        demand(node.contains("additionalProperties") && node.at("additionalProperties") == false,
               "is open to unknown keys");
        for (const auto &property : node.at("properties").items())
            verify(schema, property.value(), path + "." + property.key());
    }
}

} // namespace

Error::Error(const std::string &file, const std::string &key, const std::string &what,
             const std::string &remedy)
    : std::runtime_error(file + ": " + (key.empty() ? "(top)" : key) + ": " + what + "; " +
                         remedy) {}

Schema::Schema(std::string_view text) : root_(Json::parse(text)) {
    verify(*this, root_, "(top)");
    if (root_.contains("$defs"))
        for (const auto &definition : root_.at("$defs").items())
            verify(*this, definition.value(), definition.key());
}

void Schema::check(const Json &document, const std::string &file) const {
    Check(*this, file).value(document, root_, "");
}

const Json &Schema::resolve(const Json &node) const {
    const auto reference = node.find("$ref");
    if (reference == node.end())
        return node;
    const auto name = reference->get<std::string>();
    if (name.empty() || name[0] != '#')
        throw std::logic_error("schema: " + name + " is not in the same file");
    return root_.at(Json::json_pointer(name.substr(1)));
}

} // namespace config
