#include "config/reader.hpp"

#include <algorithm>

namespace config {

Reader::Reader(const Json &value, const Json &rules, const Schema &schema, std::string file,
               std::string path)
    : value_(&value), rules_(&schema.resolve(rules)), schema_(&schema), file_(std::move(file)),
      path_(std::move(path)) {}

std::string Reader::path_of(const std::string &key) const {
    return path_.empty() ? key : path_ + "." + key;
}

void Reader::fail(const std::string &key, const std::string &what,
                  const std::string &remedy) const {
    throw Error(file_, path_of(key), what, remedy);
}

const Json &Reader::rule(const std::string &key) {
    asked_.insert(key);
    const Json &properties = rules_->at("properties");
    const auto found = properties.find(key);
    if (found == properties.end())
        throw std::logic_error(path_of(key) + " is read, but not in the schema");
    return schema_->resolve(*found);
}

bool Reader::has(const std::string &key) {
    rule(key);
    return value_->contains(key);
}

const Json *Reader::find(const std::string &key) {
    const Json &rules = rule(key);
    if (const auto given = value_->find(key); given != value_->end())
        return &*given;
    const auto fallback = rules.find("default");
    return fallback == rules.end() ? nullptr : &*fallback;
}

const Json &Reader::required(const std::string &key) {
    const Json *json = find(key);
    if (json == nullptr)
        throw std::logic_error(path_of(key) + " is neither required nor has it a default");
    return *json;
}

std::size_t Reader::choice(const std::string &key, std::span<const std::string_view> words,
                           std::optional<std::size_t> fallback) {
    const Json &known = rule(key).at("enum");
    if (!std::ranges::is_permutation(known.get<std::vector<std::string>>(), words))
        throw std::logic_error(path_of(key) + " has other words in the schema");
    const Json *json = find(key);
    if (json == nullptr && fallback)
        return *fallback;
    const auto word = required(key).get<std::string>();
    return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
}

Reader Reader::object(const std::string &key) {
    static const Json kNothing = Json::object();
    const Json &rules = rule(key);
    const auto given = value_->find(key);
    return {given == value_->end() ? kNothing : *given, rules, *schema_, file_, path_of(key)};
}

std::vector<Reader> Reader::objects(const std::string &key) {
    const Json &rules = rule(key).at("items");
    std::vector<Reader> list;
    if (const auto given = value_->find(key); given != value_->end())
        for (std::size_t i = 0; i < given->size(); ++i)
            list.push_back({given->at(i), rules, *schema_, file_,
                            path_of(key) + "[" + std::to_string(i) + "]"});
    return list;
}

void Reader::finish() const {
    for (const auto &property : rules_->at("properties").items())
        if (!asked_.contains(property.key()))
            throw std::logic_error(path_of(property.key()) + " is in the schema, but not read");
}

} // namespace config
